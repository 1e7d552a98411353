// SPDX-License-Identifier: Apache-2.0
// Profiles to look at: the examples of schema/, and others made from them.
import { readFileSync } from "node:fs";

const read = (name) => JSON.parse(readFileSync(new URL(`../../schema/examples/${name}.json`, import.meta.url)));

/** A program with memory, a leak, copies and waits. */
export const memory = () => read("memory");
export const solver = () => read("solver");

const SOLVER = "/home/ann/solve/solver.py";

/** A row without any number: the numbers of an example, emptied. */
function emptyRow(row) {
    return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, typeof value === "number" ? 0 : Array.isArray(value) ? [] : typeof value === "object" ? {} : value]));
}

const EMPTY = emptyRow(memory().files[SOLVER].lines[0]);

/** A line with some numbers. */
export function line(lineno, text, numbers = {}) {
    return { ...EMPTY, lineno, line: `${text}\n`, start_region_line: lineno, end_region_line: lineno, start_outermost_loop: lineno, end_outermost_loop: lineno, ...numbers };
}

/** A profile of other files. */
export function profileOf(files, more = {}) {
    const base = memory();
    const list = Object.entries(files).map(([path, lines]) => [path, { functions: [], imports: [], leaks: {}, percent_cpu_time: 100 / Object.keys(files).length, lines }]);
    return { ...base, combined_stacks: [], stacks: [], memory_stacks: [], ...more, files: Object.fromEntries(list) };
}

const frame = (name, file, lineno, kind = "py") => ({ display_name: name, filename_or_module: file, ip: null, kind, line: kind === "py" ? lineno : null, offset: null });

/** A profile that knows which stack ran when: two threads, one of them only in the second half. */
export function timeline() {
    const base = memory();
    const main = base.main_thread_id;
    const [ident, other] = [main, main + 4096];
    const [thread] = base.scalene.processes[0].threads;
    // As upstream's files have it: runs of stacks by the number that Python gives to threads.
    delete base.scalene.timeline;
    base.scalene.processes[0].threads = [{ ...thread, ident, main: true, name: "MainThread" }, { ...thread, ident: other, tid: 4243, main: false, name: "worker" }];
    base.combined_stacks = [
        [[frame("<module>", SOLVER, 33), frame("Solver.solve", SOLVER, 22), frame("dgemm", "/usr/lib/libblas.so", 0, "native")], 600],
        [[frame("<module>", SOLVER, 33), frame("Solver.convert", SOLVER, 16)], 200],
        [[frame("run", "/usr/lib/python3/threading.py", 9), frame("Solver.solve", SOLVER, 23)], 200],
    ];
    base.combined_stacks_timeline = [
        { t_sec: 0, stack_index: 0, count: 600, thread_id: ident }, { t_sec: 2.4, stack_index: 1, count: 200, thread_id: ident },
        { t_sec: 2.4, stack_index: 2, count: 200, thread_id: other },
    ];
    return base;
}

const OURS = ["cpu_samples", "cpu_percent_error", "cpu_seconds_native", "cpu_seconds_python", "cpu_seconds_system", "idle_looks", "idle_seconds", "waits",
    "n_alloc_samples", "n_at_peak_mb", "n_copy_mb", "n_live_mb", "n_live_error_mb", "n_malloc_error_mb", "lifetimes"];

/** What upstream's 2.x writes: the same without what is ours alone, the program among its arguments. */
export function upstream() {
    const { scalene: _, ...rest } = timeline();
    for (const file of Object.values(rest.files)) {
        for (const row of [...file.lines, ...file.functions]) for (const key of OURS) delete row[key];
        for (const leak of Object.values(file.leaks)) { delete leak.error_mb_s; delete leak.live_mb; }
    }
    return { ...rest, args: ["solver.py", "--size", "512"] };
}

export const HOSTILE = [
    "</script><script>window.harmed = 1</script>", "<img src=x onerror=window.harmed=1>", `"'\`\${window.harmed=1}`, "<!--<script>",
    "\u202egnp.exe\u202c", "שלום עולם", "👩‍👩‍👧‍👦 🐍", "\u2028\u2029\u0000\u0007", "a".repeat(10_000), "javascript:window.harmed=1", "__proto__", "constructor",
];

/** Every name a profile has, made of what has broken other pages. */
export function hostile() {
    const rows = (i) => HOSTILE.map((text, k) => line(k + 1, text, { n_cpu_percent_python: 5 + i, cpu_samples: 100, cpu_seconds_python: 1, n_peak_mb: 20, n_malloc_mb: 30, start_function_line: k + 1, end_function_line: k + 1 }));
    const profile = profileOf(Object.fromEntries(HOSTILE.map((name, i) => [`/${name}`, rows(i)])), { program: `/${HOSTILE[0]}`, args: HOSTILE });
    for (const file of Object.values(profile.files)) {
        file.functions = HOSTILE.map((name, k) => line(k + 1, name, { n_cpu_percent_python: 5, cpu_samples: 100 }));
        file.leaks = { 1: { likelihood: 1, velocity_mb_s: 3, error_mb_s: 1, live_mb: 50 } };
    }
    profile.combined_stacks = HOSTILE.map((name) => [[frame(name, `/${name}`, 1), frame(name, name, 2, "native")], 10]);
    profile.memory_stacks = profile.combined_stacks;
    profile.scalene.interpreter = { version: HOSTILE[0], build: HOSTILE[1], executable: HOSTILE[2] };
    profile.scalene.processes[0].argv = HOSTILE;
    return profile;
}

/** Many lines: `n` of them in ten files. */
export function large(n) {
    const files = {};
    for (let f = 0; f < 10; f++) {
        files[`/app/part${f}.py`] = Array.from({ length: n / 10 }, (_, i) =>
            line(i + 1, i % 20 ? `    value${i} = compute(value${i - 1}, factor=${i})` : `def function${i}(value):`,
                i % 3 ? {} : { n_cpu_percent_python: 30 / n, cpu_samples: 20, cpu_seconds_python: 0.01, start_function_line: 1 + 20 * Math.floor(i / 20), end_function_line: 20 + 20 * Math.floor(i / 20) }));
    }
    return profileOf(files);
}
