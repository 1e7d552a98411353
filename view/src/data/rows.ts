// SPDX-License-Identifier: Apache-2.0
// The lines and functions of a JSON profile as columns.
import { emptyRows, LEAST_WAIT, WAIT_KINDS, type Rows } from "./model";
import { list, number, object, percent, text, type Loose } from "./read";
import type { Function as FunctionRow, Line, Waits } from "./schema";

/** A row of either table; the regions are of lines only. */
export type Item = Loose<Line & FunctionRow>;

/** The numbers that are taken as they are. */
const COPIED: readonly [keyof Rows & string, keyof Line][] = [
    ["lineno", "lineno"], ["gpuMb", "n_gpu_peak_memory_mb"], ["peakMb", "n_peak_mb"], ["avgMb", "n_avg_mb"],
    ["allocMb", "n_malloc_mb"], ["liveMb", "n_live_mb"], ["atPeakMb", "n_at_peak_mb"], ["copyMbS", "n_copy_mb_s"],
    ["copyMb", "n_copy_mb"], ["pythonFraction", "n_python_fraction"], ["cores", "n_core_utilization"],
    ["concurrency", "n_async_concurrency_mean"], ["functionStart", "start_function_line"],
    ["functionEnd", "end_function_line"], ["regionStart", "start_region_line"], ["regionEnd", "end_region_line"],
    ["loopStart", "start_outermost_loop"], ["loopEnd", "end_outermost_loop"],
];

function setTime(rows: Rows, i: number, item: Item): void {
    rows.python[i] = percent(item, "n_cpu_percent_python");
    rows.native[i] = percent(item, "n_cpu_percent_c");
    rows.system[i] = percent(item, "n_sys_percent");
    rows.time[i] = Math.min(100, rows.python[i] + rows.native[i] + rows.system[i]);
    const seconds = number(item, "cpu_seconds_python") + number(item, "cpu_seconds_native") + number(item, "cpu_seconds_system");
    const idleS = Math.min(seconds, number(item, "idle_seconds"));
    rows.seconds[i] = seconds;
    rows.idle[i] = seconds > 0 ? Math.min(rows.system[i], (rows.time[i] * idleS) / seconds) : 0;
    rows.error[i] = percent(item, "cpu_percent_error");
    rows.samples[i] = number(item, "cpu_samples") + number(item, "idle_looks");
}

function setWaits(rows: Rows, i: number, waits: Loose<Waits>): void {
    WAIT_KINDS.forEach((kind, k) => {
        const seconds = number(waits, kind);
        rows.waits[i * WAIT_KINDS.length + k] = seconds;
        rows.waitS[i] += seconds;
    });
}

function setRow(rows: Rows, i: number, item: Item, elapsedS: number): void {
    for (const [name, key] of COPIED) (rows[name] as Float64Array)[i] = number(item, key);
    setTime(rows, i, item);
    setWaits(rows, i, object<Line, Waits>(item, "waits"));
    rows.await[i] = percent(item, "n_async_await_percent");
    rows.gpu[i] = percent(item, "n_gpu_percent");
    rows.usage[i] = 100 * Math.min(1, number(item, "n_usage_fraction"));
    const isWaiting = elapsedS > 0 && rows.waitS[i] > LEAST_WAIT * elapsedS;
    const isActive = rows.time[i] > 0 || rows.await[i] > 0 || rows.gpu[i] > 0 || rows.peakMb[i] > 0 ||
        rows.allocMb[i] > 0 || rows.copyMbS[i] > 0 || isWaiting;
    rows.isActive[i] = isActive ? 1 : 0;
}

export function makeRows(items: Item[], elapsedS: number): Rows {
    const rows = emptyRows(items.length);
    items.forEach((item, i) => setRow(rows, i, item, elapsedS));
    return rows;
}

const ESCAPES: { [escape: string]: string } = { "\\u0026": "&", "\\u003c": "<", "\\u003e": ">" };

/** The text of a line as it was: the escapes of the format undone, ended where the line ends. */
export function lineText(item: Item): string {
    const raw = /^[^\r\n]*/.exec(text(item, "line"))![0];
    return raw.replace(/\\u00(?:26|3c|3e)/gi, (escape) => ESCAPES[escape.toLowerCase()]).replace(/[ \t]+$/, "");
}

export const hasTrend = (item: Item): boolean => list(item, "memory_samples").length > 1;

/** Sizes over the run in `n` steps, from [ns, MiB, ...]: what src/report/points.c draws. */
export function curve(points: Float64Array, runS: number, n: number): Float32Array {
    const cells = new Float32Array(n);
    const nPoints = points.length / 2;
    const runNs = Math.max(runS * 1e9, points[2 * (nPoints - 1)] ?? 0);
    let cell = 0;
    for (let i = 0; i < nPoints; i++) {
        const at = Math.min(n - 1, Math.floor((n * points[2 * i]) / runNs));
        const before = i > 0 ? points[2 * i - 1] : cells[cell];
        for (; cell < at; cell++) cells[cell + 1] = before;
        cells[at] = Math.max(cells[at], points[2 * i + 1]);
    }
    for (; cell + 1 < n; cell++) cells[cell + 1] = points[2 * nPoints - 1];
    return cells;
}
