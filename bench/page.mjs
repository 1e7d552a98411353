// SPDX-License-Identifier: Apache-2.0
// How fast the page opens and how much memory it takes, on profiles of 1, 5, 20 and 100 MB, side by side
// with upstream's page of the same profiles: `make page-figures`, or node bench/page.mjs [MB ...].
//
// Both are opened from disk in the same headless chromium, in turns. Paint: the browser's own first
// contentful paint. Usable: the table of lines is there and the page answers. Memory: the proportional
// share (PSS) of the process that shows the page, after that. Medians of the rounds, and their spread.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { chromium } = createRequire(join(ROOT, "view/package.json"))("playwright-core");
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "scalene-dev");
const UPSTREAM = process.env.UPSTREAM_PYTHON || join(CACHE, "overhead-3.12/bin/python") /* made by bench/overhead.py */;
const ROUNDS = Number(process.env.ROUNDS || 3);
/** Who has not shown anything by then has lost. */
const LIMIT_MS = 240_000;

const FILE_LINES = 1000;

/** A profile of about so many bytes: files of 1000 lines, a third of them measured, and stacks. */
function makeProfile(bytes) {
    const base = JSON.parse(readFileSync(join(ROOT, "schema/examples/memory.json")));
    const [example] = Object.values(base.files);
    const hot = example.lines.find((line) => line.lineno === 22);
    const cold = example.lines.find((line) => line.lineno === 1);
    const perFile = FILE_LINES * (JSON.stringify(hot).length / 3 + (2 * JSON.stringify(cold).length) / 3);
    const nFiles = Math.max(1, Math.round((0.9 * bytes) / perFile));
    const share = 100 / (nFiles * FILE_LINES);
    const files = {};
    for (let f = 0; f < nFiles; f++) {
        const lines = Array.from({ length: FILE_LINES }, (_, i) => ({
            ...(i % 3 === 1 ? hot : cold), lineno: i + 1,
            line: i % 20 ? `    value_${i} = compute(value_${i - 1}, "text ${f}", factor=${i})\n` : `def function_${i}(value, *more):\n`,
            n_cpu_percent_python: i % 3 === 1 ? share : 0, n_cpu_percent_c: i % 3 === 1 ? share * (i % 97) : 0, n_sys_percent: 0,
            start_function_line: 20 * Math.floor(i / 20) + 1, end_function_line: 20 * Math.floor(i / 20) + 20, start_region_line: i + 1, end_region_line: i + 1,
        }));
        const functions = Array.from({ length: FILE_LINES / 20 }, (_, i) => ({ ...example.functions[0], line: `function_${20 * i}`, lineno: 20 * i + 1 }));
        files[`/app/package/module_${f}.py`] = { ...example, lines, functions, percent_cpu_time: 100 / nFiles };
    }
    const frame = (f, i) => ({ display_name: `function_${20 * (i % 50)}`, filename_or_module: `/app/package/module_${f % nFiles}.py`, ip: null, kind: "py", line: 20 * (i % 50) + 2, offset: null });
    const stacks = Array.from({ length: Math.round((0.1 * bytes) / (12 * 140)) }, (_, i) => [Array.from({ length: 12 }, (__, depth) => frame(i >> (12 - depth), (i * 7) >> (12 - depth))), 1 + (i % 9)]);
    return JSON.stringify({ ...base, files, combined_stacks: stacks, memory_stacks: [] });
}

function ours(profile, folder) {
    const page = join(folder, "ours.html");
    const result = spawnSync(join(ROOT, "build/scalene"), ["view", "--html", "-o", page, profile], { encoding: "utf8" });
    if (result.status !== 0) throw new Error(result.stderr);
    return page;
}

function upstream(profile, folder) {
    const result = spawnSync(UPSTREAM, ["-m", "scalene", "view", "--standalone", profile], { cwd: folder, encoding: "utf8", timeout: LIMIT_MS });
    const page = join(folder, "upstream.html");
    if (result.status !== 0 || !existsSync(join(folder, "scalene-profile.html"))) return null;
    renameSync(join(folder, "scalene-profile.html"), page);
    return page;
}

/** PSS in MB of the process that shows the page. */
async function memoryOf(browser) {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const shares = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))[1]));
    return Math.max(...shares) / 1024;
}

async function measure(page, ready) {
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage", "--js-flags=--max-old-space-size=8192"] });
    try {
        const tab = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
        tab.setDefaultTimeout(LIMIT_MS);
        const start = Date.now();
        await tab.goto(`file://${page}`, { waitUntil: "commit" });
        await tab.waitForFunction(ready, null, { polling: 50 });
        await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
        const usable = Date.now() - start;
        const paint = await tab.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN);
        return { paint, usable, memory: await memoryOf(browser) };
    } catch (error) {
        return { paint: NaN, usable: NaN, memory: NaN, error: error.message.split("\n")[0] };
    } finally {
        await browser.close();
    }
}

const READY = {
    ours: () => document.querySelectorAll(".row .c-time").length > 5,
    upstream: () => document.querySelectorAll("table tbody tr").length > 5,
};

function summary(results, key, digits) {
    const values = results.map((one) => one[key]).sort((a, b) => a - b);
    if (values.some(Number.isNaN)) return "failed";
    const show = (value) => value.toFixed(digits);
    return `${show(values[values.length >> 1])} (${show(values[0])} to ${show(values[values.length - 1])})`;
}

async function compare(mb, folder) {
    const profile = join(folder, "profile.json");
    writeFileSync(profile, makeProfile(mb * 1e6));
    const pages = { ours: ours(profile, folder), upstream: existsSync(UPSTREAM) ? upstream(profile, folder) : null };
    const results = { ours: [], upstream: [] };
    for (let round = 0; round < ROUNDS; round++)
        for (const who of ["ours", "upstream"]) if (pages[who] && !results[who].some((one) => one.error)) results[who].push(await measure(pages[who], READY[who]));
    for (const who of ["ours", "upstream"]) {
        const label = `${(statSync(profile).size / 1e6).toFixed(0).padStart(4)} MB  ${who.padEnd(8)}`;
        if (!pages[who]) console.log(`${label}  ${existsSync(UPSTREAM) ? "made no page" : "is not installed"}`);
        else if (results[who].some((one) => one.error)) console.log(`${label}  not usable within ${LIMIT_MS / 1000} s: ${results[who].find((one) => one.error).error}`);
        else console.log(`${label}  paint ${summary(results[who], "paint", 0)} ms, usable ${summary(results[who], "usable", 0)} ms, memory ${summary(results[who], "memory", 0)} MB`);
    }
}

const sizes = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "scalene-page-"));
console.log(`${cpus().length} x ${cpus()[0].model}; ${ROUNDS} rounds, median (least to most)`);
try {
    for (const mb of sizes.length ? sizes : [1, 5, 20, 100]) await compare(mb, folder);
} finally {
    rmSync(folder, { recursive: true });
}
