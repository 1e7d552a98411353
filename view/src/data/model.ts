// SPDX-License-Identifier: Apache-2.0
// A profile as the page shows it: columns of numbers that move between threads without a copy.
//
// Shares are percents of the CPU and idle time of the program, sizes MiB, times seconds.

import type { Lane } from "./parts";

/** The kinds of waits, in the order of Rows.waits. */
export const WAIT_KINDS = ["child", "gil", "io", "lock", "other", "poll", "sleep", "starved"] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** Kinds a line can be idle for: not those where something else of the process runs. */
export const IDLE_KINDS: readonly WaitKind[] = ["child", "io", "lock", "other", "poll", "sleep"];

export const WAIT_WORDS: { readonly [K in WaitKind]: string } = {
    child: "the end of another process",
    gil: "the interpreter's lock",
    io: "a read, write, connect or the like",
    lock: "another thread: a lock, a queue, a join",
    other: "something else",
    poll: "one of several files or sockets",
    sleep: "a moment in time",
    starved: "a CPU: it could have run",
};

export const NUMBERS = [
    "lineno", "python", "native", "system", "time", "idle", "seconds", "error", "samples", "await", "gpu",
    "gpuMb", "peakMb", "avgMb", "allocMb", "liveMb", "atPeakMb", "usage", "pythonFraction", "copyMbS", "copyMb",
    "cores", "concurrency", "waitS", "isActive", "leakMbS", "functionStart", "functionEnd", "regionStart",
    "regionEnd", "loopStart", "loopEnd",
] as const;
export type NumberName = (typeof NUMBERS)[number];

/** One array per number; row i is the i-th of each. `isActive`: anything was measured there. */
export type Rows = { [K in NumberName]: Float64Array } & {
    n: number;
    /** WAIT_KINDS.length per row, in seconds. */
    waits: Float64Array;
};

export type Leak = { likelihood: number; velocityMbS: number; errorMbS: number; liveMb: number };

export type FileModel = {
    path: string;
    /** Relative to the program's folder where it lies in it. */
    shortPath: string;
    percent: number;
    imports: string[];
    /** By line number. */
    lines: Rows;
    /** The texts of the lines, joined by \n; empty when the source could not be read. */
    source: string;
    /** The dearest first. */
    functions: Rows;
    functionNames: string[];
    leaks: { [lineno: string]: Leak };
    /** TREND_CELLS live sizes over the run for each of trendRows; rows are those of lines. */
    trendRows: Int32Array;
    trends: Float32Array;
};

/** What a profile has; a column is shown only where there is something to show. */
export type Features = {
    samples: boolean;
    memory: boolean;
    copy: boolean;
    gpu: boolean;
    await: boolean;
    waits: boolean;
    timeline: boolean;
};

export type MemoryModel = {
    peakMb: number;
    peakS: number;
    peakErrorMb: number;
    pythonFraction: number;
    allocatedMb: number;
    pythonMb: number;
    nativeMb: number;
    copiedMb: number;
    liveMb: number;
    leakMbS: number;
    growthRate: number;
    nativeThreadsMb: number;
    residentPeakMb: number;
    /** [ns, MiB, ...] */
    heap: Float64Array;
    resident: Float64Array;
    samples: number;
    /** Whether this program measured it, and not another. */
    isOwn: boolean;
};

export type ThreadModel = { ident: number; tid: number; isMain: boolean; isNative: boolean; cpuS: number; samples: number; waits: number[]; name: string; /** Its lane; -1: it has none. */ lane: number };

export type ProcessModel = {
    pid: number;
    parentPid: number;
    argv: string[];
    version: string;
    wallS: number;
    cpuS: number;
    idleS: number;
    samples: number;
    threads: ThreadModel[];
};

export type Place = { file: string; line: number };
export type GilPair = { waiter: Place | null; holder: Place | null; isOther: boolean; seconds: number };

export type Model = {
    program: string;
    args: string[];
    elapsedS: number;
    cpuS: number;
    idleS: number;
    cpus: number;
    python: number;
    native: number;
    system: number;
    /** Shares of the dearest line and function: the scales of the bars. */
    largest: { lines: number; functions: number };
    gpuPercent: number;
    gpuDevice: string;
    startedAt: number;
    version: string;
    build: string;
    executable: string;
    engine: string;
    writer: string;
    waitsSeen: string;
    periodS: number;
    agentS: number;
    collectorS: number;
    outsideS: number;
    outsideIdleS: number;
    samples: number;
    /** Samples of the same weight that would tell as much as one taken: at most 1. */
    even: number;
    looks: number;
    waits: number[];
    drops: { reason: string; n: number }[];
    features: Features;
    memory: MemoryModel;
    gil: GilPair[];
    processes: ProcessModel[];
    /** Whose time can be seen alone: threads, or several together. */
    lanes: Lane[];
    mainThread: number;
    /** The dearest first. */
    files: FileModel[];
    hasStacks: boolean;
    hasMemoryStacks: boolean;
    bytes: number;
};

/** Points of a trend: what fits into a cell of the table. */
export const TREND_CELLS = 24;
/** Part of the wall time: who waited less is not mentioned. */
export const LEAST_WAIT = 0.01;
/** Fewer samples than these do not tell one line from another. */
export const SURE_SAMPLES = 10;
/** A profile with fewer samples in all is not ranked. */
export const RANK_SAMPLES = 30;

export function emptyRows(n: number): Rows {
    const columns = Object.fromEntries(NUMBERS.map((name) => [name, new Float64Array(n)]));
    return { ...columns, n, waits: new Float64Array(n * WAIT_KINDS.length) } as Rows;
}

const largestOf = (column: Float64Array, most: number): number => column.reduce((a, b) => Math.max(a, b), most);

export const largestTimes = (files: FileModel[]): Model["largest"] => ({
    lines: files.reduce((most, file) => largestOf(file.lines.time, most), 0),
    functions: files.reduce((most, file) => largestOf(file.functions.time, most), 0),
});

/** Whether the count behind a row is known and too small to trust. */
export function isUnsure(model: Model, rows: Rows, i: number): boolean {
    return model.features.samples && rows.time[i] > 0 && rows.samples[i] < SURE_SAMPLES;
}

/** The kind a row waits for most, among some. */
export function largestWait(waits: ArrayLike<number>, at = 0, among: readonly WaitKind[] = WAIT_KINDS): WaitKind {
    let best: WaitKind = "other";
    let most = waits[at + WAIT_KINDS.indexOf(best)];
    for (const kind of among) {
        const value = waits[at + WAIT_KINDS.indexOf(kind)];
        if (value > most) [best, most] = [kind, value];
    }
    return best;
}

/** The index of a line number, or -1. Lines are sorted. */
export function rowOfLine(lines: Rows, lineno: number): number {
    let [low, high] = [0, lines.n - 1];
    while (low <= high) {
        const middle = (low + high) >> 1;
        if (lines.lineno[middle] === lineno) return middle;
        if (lines.lineno[middle] < lineno) low = middle + 1;
        else high = middle - 1;
    }
    return -1;
}
