// SPDX-License-Identifier: Apache-2.0
// Whose time it was and when, as our own profiles tell it: cells of a thread, a slice of the run, a
// line with its stack, and a kind of time. A selection takes some of them.
import type { Root } from "./about";
import { WAIT_KINDS, type WaitKind } from "./model";
import { finite, list, number, object, objects, text, type Loose } from "./read";
import type { Part, Profile, Run, Timeline as TimelineJson } from "./schema";

export const KINDS = ["python", "native", "system", "idle"] as const;
export const IDLE = 3;
const NO_SLICE = -1;

/** What the user looks at: null is everything. `threads` are numbers of lanes, or upstream's idents. */
export type Selection = { threads: number[] | null; pid: number | null; fromS: number | null; toS: number | null };

export const isWhole = ({ threads, pid, fromS, toS }: Selection): boolean => threads === null && pid === null && fromS === null && toS === null;

/** A thread, or several; `process` is an index, -1 when they are of several. */
export type Lane = { name: string; process: number; threads: number };

export type Site = { path: string; line: number; functionLine: number; stack: number };

/** One entry per cell; `slice` is -1 where only `rest` knows when it was. */
export type Cells = { lane: Int32Array; slice: Int32Array; site: Int32Array; kind: Uint8Array; s: Float64Array; seen: Float64Array };

export type Parts = {
    lanes: Lane[];
    sites: Site[];
    cells: Cells;
    rest: Cells;
    waits: { lane: number; site: number; kind: number; s: number }[];
    sliceS: number;
    lengthS: number;
    slices: number;
};

const MOST_SLICES = 4096;

const index = (value: unknown, n: number): number => (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < n ? value : -1);

const arrays = (value: unknown): unknown[][] => (Array.isArray(value) ? value.filter((row): row is unknown[] => Array.isArray(row)) : []);

export function parseLanes(root: Root): Lane[] {
    const timeline = timelineOf(root);
    return objects<TimelineJson, Part>(timeline, "parts").map((part) => ({
        name: text(part, "name") || "thread", process: index(part.process, Infinity), threads: number(part, "threads"),
    }));
}

const timelineOf = (root: Root): Loose<TimelineJson> => object<Run, TimelineJson>(object<Profile, Run>(root, "scalene"), "timeline");

function cellsOf(rows: { lane: number; row: unknown[] }[], read: (row: unknown[]) => [unknown, number, unknown, unknown, unknown], slices: number): Cells {
    const n = rows.length;
    const cells: Cells = {
        lane: new Int32Array(n), slice: new Int32Array(n), site: new Int32Array(n), kind: new Uint8Array(n), s: new Float64Array(n), seen: new Float64Array(n),
    };
    rows.forEach(({ lane, row }, i) => {
        const [slice, site, kind, us, seen] = read(row);
        cells.lane[i] = lane;
        cells.slice[i] = slice === null ? NO_SLICE : Math.max(0, index(slice, slices));
        cells.site[i] = site;
        cells.kind[i] = Math.max(0, index(kind, KINDS.length));
        cells.s[i] = finite(us) / 1e6;
        cells.seen[i] = finite(seen);
    });
    return cells;
}

export function parseParts(root: Root): Parts | null {
    const timeline = timelineOf(root);
    const sliceS = number(timeline, "slice_seconds");
    const slices = Math.min(MOST_SLICES, number(timeline, "slices"));
    if (!(sliceS > 0) || !(slices > 0)) return null;
    const files = list(timeline, "files").map(String);
    const sites = arrays(timeline.sites).map(([file, line, functionLine, stack]) => ({
        path: files[index(file, files.length)] ?? "", line: finite(line), functionLine: finite(functionLine), stack: index(stack, Infinity),
    }));
    const parts = objects<TimelineJson, Part>(timeline, "parts");
    const rowsOf = (key: "cells" | "rest" | "waits") => parts.flatMap((part, lane) => arrays(part[key]).map((row) => ({ lane, row })));
    const site = (value: unknown): number => index(value, sites.length);
    const cells = rowsOf("cells").filter(({ row }) => site(row[1]) >= 0);
    return {
        lanes: parseLanes(root), sites, sliceS, slices, lengthS: Math.max(number(timeline, "length_seconds"), sliceS * (slices - 1)),
        cells: cellsOf(cells, (row) => [row[0], site(row[1]), row[2], row[3], row[4]], slices),
        rest: cellsOf(rowsOf("rest"), (row) => [row[0], NO_SLICE, row[1], row[2], 0], slices),
        waits: rowsOf("waits").map(({ lane, row }) => ({ lane, site: site(row[0]), kind: WAIT_KINDS.indexOf(row[1] as WaitKind), s: finite(row[2]) / 1e6 }))
            .filter((wait) => wait.site >= 0 && wait.kind >= 0),
    };
}

/** Which lanes a selection takes; processes are known by their pid. */
export function chosenLanes(lanes: Lane[], selection: Selection, pids: number[]): boolean[] {
    const { threads, pid } = selection;
    return lanes.map((lane, i) => (threads === null || threads.includes(i)) && (pid === null || pids[lane.process] === pid));
}

/** The part of each slice that lies within the selection. */
function slicesWithin(parts: Parts, { fromS, toS }: Selection): Float64Array {
    return Float64Array.from({ length: parts.slices }, (_, i) => {
        const start = i * parts.sliceS;
        const end = Math.max(start + parts.sliceS / 1e6, Math.min(start + parts.sliceS, parts.lengthS));
        const inside = Math.min(end, toS ?? Infinity) - Math.max(start, fromS ?? 0);
        return Math.max(0, Math.min(1, inside / (end - start)));
    });
}

/** Of the small cells of a lane and kind, the part within the selection. */
function restWithin({ rest, lanes }: Parts, within: Float64Array): Float64Array {
    const all = new Float64Array(lanes.length * KINDS.length);
    const inside = new Float64Array(all.length);
    rest.s.forEach((s, i) => {
        const at = rest.lane[i] * KINDS.length + rest.kind[i];
        all[at] += s;
        inside[at] += s * (within[rest.slice[i]] ?? 0);
    });
    return all.map((s, i) => (s > 0 ? inside[i] / s : 0));
}

/** Sums by site: KINDS.length seconds each, samples, looks; WAIT_KINDS.length seconds of waits each. */
export type SiteSums = { s: Float64Array; samples: Float64Array; looks: Float64Array; waits: Float64Array };

export function sumSites(parts: Parts, selection: Selection, pids: number[]): SiteSums {
    const n = parts.sites.length;
    const sums: SiteSums = { s: new Float64Array(n * KINDS.length), samples: new Float64Array(n), looks: new Float64Array(n), waits: new Float64Array(n * WAIT_KINDS.length) };
    const isChosen = chosenLanes(parts.lanes, selection, pids);
    const isAllTime = selection.fromS === null && selection.toS === null;
    const within = slicesWithin(parts, selection);
    const small = restWithin(parts, within);
    const { lane, slice, site, kind, s, seen } = parts.cells;
    for (let i = 0; i < s.length; i++) {
        if (!isChosen[lane[i]]) continue;
        const share = isAllTime ? 1 : slice[i] < 0 ? small[lane[i] * KINDS.length + kind[i]] : within[slice[i]];
        sums.s[site[i] * KINDS.length + kind[i]] += s[i] * share;
        (kind[i] === IDLE ? sums.looks : sums.samples)[site[i]] += seen[i] * share;
    }
    // Nobody knows when it was waited.
    if (isAllTime) for (const wait of parts.waits) if (isChosen[wait.lane]) sums.waits[wait.site * WAIT_KINDS.length + wait.kind] += wait.s;
    return sums;
}

/** What each stack weighs within a selection, in samples of average worth as stacks have them. */
export function stackWeights(parts: Parts, sums: SiteSums, nStacks: number, samplesPerS: number): Float64Array {
    const weights = new Float64Array(nStacks);
    parts.sites.forEach(({ stack }, i) => {
        if (stack < 0 || stack >= nStacks) return;
        for (let kind = 0; kind < KINDS.length; kind++) weights[stack] += sums.s[i * KINDS.length + kind] * samplesPerS;
    });
    return weights;
}

/** Who ran a line, the most first: numbers of lanes, and seconds. */
export function lanesAt(parts: Parts, path: string, line: number): { lane: number; s: number }[] {
    const here = parts.sites.map((site) => site.path === path && site.line === line);
    const sums = new Float64Array(parts.lanes.length);
    parts.cells.s.forEach((s, i) => { if (here[parts.cells.site[i]]) sums[parts.cells.lane[i]] += s; });
    return [...sums].map((s, lane) => ({ lane, s })).filter(({ s }) => s > 0).sort((a, b) => b.s - a.s);
}
