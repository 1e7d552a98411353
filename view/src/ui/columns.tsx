// SPDX-License-Identifier: Apache-2.0
// The columns of the line and function tables: what each shows, and when it is there.
import type { ComponentChildren } from "preact";
import { isUnsure, largestWait, LEAST_WAIT, TREND_CELLS, WAIT_KINDS, type Features, type FileModel, type Model, type NumberName, type Rows } from "../data/model";
import * as words from "../data/words";
import { Bar } from "./Bar";

export type Cell = { model: Model; file: FileModel; rows: Rows; i: number };

export type Column = {
    id: string;
    heading: string;
    title: string;
    width: number;
    /** The number it is sorted by. */
    sort: NumberName;
    needs?: keyof Features;
    /** Whether it is shown unless the user says otherwise: always, on wide screens, or only when asked for. */
    usual: "always" | "wide" | "asked";
    align?: "left";
    cell: (cell: Cell) => ComponentChildren;
};

function timeCell({ model, rows, i }: Cell): string {
    const text = words.share(rows.time[i]);
    return isUnsure(model, rows, i) && rows.time[i] >= 0.95 ? `~${text}` : text;
}

function errorCell({ model, rows, i }: Cell): string {
    return isUnsure(model, rows, i) ? `n=${rows.samples[i]}` : words.error(rows.error[i]);
}

/** The kind a line waits for most, and how long. */
function waitCell({ model, rows, i }: Cell): string {
    const kind = largestWait(rows.waits, i * WAIT_KINDS.length);
    const s = Math.min(1e6, rows.waits[i * WAIT_KINDS.length + WAIT_KINDS.indexOf(kind)]);
    if (s <= 0 || s < LEAST_WAIT * model.elapsedS) return "";
    const tenths = Math.round(10 * s);
    return tenths < 100 ? `${kind} ${Math.floor(tenths / 10)}.${tenths % 10}s` : `${kind} ${Math.round(s)}s`;
}

function trendCell({ file, rows, i }: Cell): ComponentChildren {
    const at = rows === file.lines ? file.trendRows.indexOf(i) : -1;
    if (at < 0) return "";
    const cells = file.trends.subarray(at * TREND_CELLS, (at + 1) * TREND_CELLS);
    const most = cells.reduce((a, b) => Math.max(a, b), 0) || 1;
    const points = Array.from(cells, (mb, k) => `${k},${(16 - (14 * mb) / most).toFixed(1)}`);
    return (
        <svg class="trend" viewBox={`0 0 ${TREND_CELLS - 1} 17`} preserveAspectRatio="none" aria-hidden="true">
            <polygon points={`0,17 ${points.join(" ")} ${TREND_CELLS - 1},17`} />
        </svg>
    );
}

function plain(name: NumberName, text: (value: number) => string): (cell: Cell) => string {
    return ({ rows, i }) => text(rows[name][i]);
}

const whole = (least: number) => (value: number): string => (value >= least ? words.count(Math.round(value)) : "");
/** In gigabytes where it would take more room than the column has. */
const copied = (mbPerS: number): string => (mbPerS >= 9999.5 ? words.megabytes(mbPerS) : whole(0.5)(mbPerS));

export const COLUMNS: readonly Column[] = [
    { id: "time", heading: "time", title: "Share of the program's CPU and idle time", width: 48, sort: "time", usual: "always", cell: timeCell },
    { id: "error", heading: "±", title: "95% interval in points; n: too few samples to trust", width: 40, sort: "error", needs: "samples", usual: "wide", align: "left", cell: errorCell },
    { id: "bar", heading: "", title: "Python, native and system on one scale for all files", width: 76, sort: "time", usual: "wide", cell: ({ model, file, rows, i }) => <Bar rows={rows} i={i} largest={model.largest[rows === file.lines ? "lines" : "functions"]} /> },
    { id: "python", heading: "py", title: "Percent of the time in Python code", width: 32, sort: "python", usual: "wide", cell: plain("python", words.part) },
    { id: "native", heading: "nat", title: "Percent of the time in native code", width: 34, sort: "native", usual: "wide", cell: plain("native", words.part) },
    { id: "system", heading: "sys", title: "Percent of the time in the kernel or idle", width: 34, sort: "system", usual: "wide", cell: plain("system", words.part) },
    { id: "seconds", heading: "seconds", title: "CPU and idle seconds", width: 66, sort: "seconds", needs: "samples", usual: "asked", cell: plain("seconds", words.milliseconds) },
    { id: "samples", heading: "samples", title: "Samples and looks the time rests on", width: 64, sort: "samples", needs: "samples", usual: "asked", cell: plain("samples", whole(0.5)) },
    { id: "wait", heading: "waits", title: "What threads waited for here longest, apart from the 100%", width: 84, sort: "waitS", needs: "waits", usual: "wide", cell: waitCell },
    { id: "await", heading: "await", title: "Share of all await time", width: 50, sort: "await", needs: "await", usual: "wide", cell: plain("await", words.part) },
    { id: "gpu", heading: "GPU", title: "How busy the GPU was, in percent", width: 42, sort: "gpu", needs: "gpu", usual: "wide", cell: plain("gpu", words.part) },
    { id: "gpumem", heading: "GPU mem", title: "Most GPU memory", width: 64, sort: "gpuMb", needs: "gpu", usual: "wide", cell: plain("gpuMb", words.megabytes) },
    { id: "mem", heading: "mem", title: "Most memory of this line that was live at once", width: 52, sort: "peakMb", needs: "memory", usual: "always", cell: plain("peakMb", words.megabytes) },
    { id: "avg", heading: "avg", title: "Live memory on average", width: 52, sort: "avgMb", needs: "memory", usual: "asked", cell: plain("avgMb", words.megabytes) },
    { id: "alloc", heading: "alloc", title: "Memory allocated in all", width: 52, sort: "allocMb", needs: "memory", usual: "wide", cell: plain("allocMb", words.megabytes) },
    { id: "live", heading: "live", title: "Memory still live at the end", width: 52, sort: "liveMb", needs: "memory", usual: "asked", cell: plain("liveMb", words.megabytes) },
    { id: "atpeak", heading: "at peak", title: "Live when the program's memory was largest", width: 60, sort: "atPeakMb", needs: "memory", usual: "asked", cell: plain("atPeakMb", words.megabytes) },
    { id: "activity", heading: "activity", title: "Share of all allocated bytes", width: 60, sort: "usage", needs: "memory", usual: "asked", cell: plain("usage", words.share) },
    { id: "mempy", heading: "py mem", title: "Part of it that Python's allocators gave", width: 58, sort: "pythonFraction", needs: "memory", usual: "asked", cell: ({ rows, i }) => (rows.allocMb[i] > 0 ? words.share(100 * rows.pythonFraction[i]) : "") },
    { id: "trend", heading: "trend", title: "Live memory over the run", width: 64, sort: "liveMb", needs: "memory", usual: "wide", cell: trendCell },
    { id: "copy", heading: "copy", title: "Megabytes copied per second", width: 42, sort: "copyMbS", needs: "copy", usual: "wide", cell: plain("copyMbS", copied) },
    { id: "cores", heading: "cores", title: "Share of all CPUs that was busy here", width: 50, sort: "cores", needs: "samples", usual: "asked", cell: ({ rows, i }) => (rows.time[i] > 0 ? words.share(100 * rows.cores[i]) : "") },
];

export const lineWidth = (isWide: boolean): number => (isWide ? 52 : 40);

/** The columns of "seconds,-copy": what the user wants shown or hidden against the usual. */
function wishes(text: string): Map<string, boolean> {
    return new Map(text.split(",").filter(Boolean).map((one) => (one.startsWith("-") ? [one.slice(1), false] : [one, true])));
}

export const isOffered = (column: Column, model: Model): boolean => !column.needs || model.features[column.needs];

export function shownColumns(model: Model, wanted: string, isWide: boolean): Column[] {
    const wish = wishes(wanted);
    const isUsual = (column: Column): boolean => column.usual === "always" || (column.usual === "wide" && isWide);
    return COLUMNS.filter((column) => isOffered(column, model) && (wish.get(column.id) ?? isUsual(column)));
}

/** The text for the address after a column was shown or hidden. */
export function wishColumn(wanted: string, column: Column, isShown: boolean, isWide: boolean): string {
    const wish = wishes(wanted);
    const isUsual = column.usual === "always" || (column.usual === "wide" && isWide);
    if (isShown === isUsual) wish.delete(column.id);
    else wish.set(column.id, isShown);
    return [...wish].map(([id, isWanted]) => (isWanted ? id : `-${id}`)).join(",");
}
