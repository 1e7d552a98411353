// SPDX-License-Identifier: Apache-2.0
// What a profile says of the run itself: program, interpreter, processes, totals, memory over time.
import { WAIT_KINDS, type GilPair, type MemoryModel, type Model, type Place, type ProcessModel } from "./model";
import { parseLanes } from "./parts";
import { flag, isObject, number, object, objects, pairs, strings, text, type Loose } from "./read";
import type { GilPair as GilJson, Memory, Process, Profile, Run, Thread, Waits } from "./schema";

export type Root = Loose<Profile>;

const waitsOf = (waits: Loose<Waits>): number[] => WAIT_KINDS.map((kind) => number(waits, kind));

/** Upstream lists the program itself among its arguments. */
function argsOf(root: Root): string[] {
    const [first, ...rest] = strings(root, "args");
    if (first === undefined) return [];
    const isProgram = first !== "" && text(root, "program").endsWith(first) && first.includes(".");
    return isProgram ? rest : [first, ...rest];
}

function place(value: unknown): Place | null {
    if (!isObject(value)) return null;
    return { file: text<Place>(value, "file"), line: number<Place>(value, "line") };
}

const gilPair = (pair: Loose<GilJson>): GilPair => ({
    waiter: place(pair.waiter), holder: place(pair.holder), isOther: flag(pair, "is_other"), seconds: number(pair, "seconds"),
});

function process(item: Loose<Process>): ProcessModel {
    return {
        pid: number(item, "pid"), parentPid: number(item, "parent_pid"), argv: strings(item, "argv"),
        version: text(item, "python_version"), wallS: number(item, "wall_seconds"), cpuS: number(item, "cpu_seconds"),
        idleS: number(item, "idle_seconds"), samples: number(item, "samples"),
        threads: objects<Process, Thread>(item, "threads").map((thread) => ({
            // An ident is an address: larger than what number() lets through.
            ident: typeof thread.ident === "number" ? thread.ident : 0,
            tid: number(thread, "tid"), isMain: flag(thread, "main"), isNative: flag(thread, "native"),
            cpuS: number(thread, "cpu_seconds"), samples: number(thread, "samples"),
            waits: waitsOf(object<Thread, Waits>(thread, "waits")),
            name: text(thread, "name"), lane: typeof thread.part === "number" ? thread.part : -1,
        })),
    };
}

/** What was lost. A read that faulted lost nothing: where it ended a walk, that is a bad frame. */
const drops = (run: Loose<Run>): Model["drops"] =>
    Object.keys(object<Run, { [reason: string]: number }>(run, "drops")).filter((reason) => reason !== "memory_fault")
        .map((reason) => ({ reason: reason.replaceAll("_", " "), n: number(run.drops as { [key: string]: unknown }, reason) }))
        .filter(({ n }) => n >= 1);

type Facts = Omit<Model, "python" | "native" | "system" | "files" | "bytes" | "largest" | "gpuPercent" | "features" |
    "memory" | "hasStacks" | "hasMemoryStacks">;

export function parseAbout(root: Root): { facts: Facts; secondsByKind: [number, number, number] } {
    const run = object<Profile, Run>(root, "scalene");
    const interpreter = object<Run, Run["interpreter"]>(run, "interpreter");
    const secondsByKind: [number, number, number] =
        [number(run, "cpu_seconds_python"), number(run, "cpu_seconds_native"), number(run, "cpu_seconds_system")];
    const all = secondsByKind[0] + secondsByKind[1] + secondsByKind[2];
    const idleS = Math.min(all, number(run, "idle_seconds"));
    const facts: Facts = {
        program: text(root, "program"), args: argsOf(root), elapsedS: number(root, "elapsed_time_sec"),
        cpuS: all - idleS, idleS, cpus: number(run, "cpus"), gpuDevice: text(root, "gpu_device"),
        startedAt: number(root, "start_time_absolute"), version: text(interpreter, "version"),
        build: text(interpreter, "build"), executable: text(interpreter, "executable"), engine: text(run, "engine"),
        writer: text(run, "version"), waitsSeen: text(run, "waits_seen"), periodS: number(run, "period_reached_seconds"),
        agentS: number(run, "agent_cpu_seconds"), collectorS: number(run, "collector_cpu_seconds"),
        outsideS: number(run, "outside_seconds"), outsideIdleS: number(run, "outside_idle_seconds"),
        samples: number(run, "samples"), even: Math.min(1, number(run, "samples_even") / (number(run, "samples") || 1)) || 1, looks: number(run, "idle_looks"),
        waits: waitsOf(object<Run, Waits>(run, "waits")), drops: drops(run),
        gil: objects<Run, GilJson>(run, "gil").map(gilPair),
        processes: objects<Run, Process>(run, "processes").map(process),
        lanes: parseLanes(root),
        mainThread: typeof root.main_thread_id === "number" ? root.main_thread_id : 0,
    };
    return { facts, secondsByKind };
}

export function parseMemory(root: Root): MemoryModel {
    const memory = object<Run, Memory>(object<Profile, Run>(root, "scalene"), "memory");
    const exact = object<Memory, Memory["exact"]>(memory, "exact");
    return {
        peakMb: number(root, "max_footprint_mb"), peakS: number(memory, "peak_seconds"),
        peakErrorMb: number(memory, "peak_error_mb"),
        pythonFraction: Math.min(1, number(root, "max_footprint_python_fraction")),
        allocatedMb: number(memory, "allocated_mb"), pythonMb: number(exact, "python_mb"),
        nativeMb: number(exact, "native_mb"), copiedMb: number(exact, "copied_mb"), liveMb: number(memory, "live_mb"),
        leakMbS: number(memory, "leak_mb_s"), growthRate: number(root, "growth_rate"),
        nativeThreadsMb: number(root, "native_allocations_mb"), residentPeakMb: number(memory, "resident_peak_mb"),
        heap: pairs(root, "samples"), resident: pairs(memory, "resident"), samples: number(memory, "samples"),
        isOwn: Object.keys(memory).length > 0,
    };
}
