// SPDX-License-Identifier: Apache-2.0
// The lanes of the timeline as they are drawn: what each thread did in each slice of the run.
import { KINDS, type Parts } from "./parts";

export type Slices = {
    /** Numbers of lanes: the busiest, in the order of the profile. */
    lanes: number[];
    /** By lane: whether it is more threads than one. */
    isSeveral: boolean[];
    sliceS: number;
    lengthS: number;
    slices: number;
    /** Seconds by lane (as in lanes), slice and kind. */
    s: Float32Array;
    /** The dearest site by lane and slice, an index into places; -1: none. */
    dearest: Int32Array;
    places: { path: string; line: number }[];
};

const MOST_LANES = 64;

function busiest(parts: Parts): number[] {
    const sums = new Float64Array(parts.lanes.length);
    parts.cells.s.forEach((s, i) => (sums[parts.cells.lane[i]] += s));
    const all = [...sums.keys()].filter((lane) => sums[lane] > 0);
    return all.sort((a, b) => sums[b] - sums[a]).slice(0, MOST_LANES).sort((a, b) => a - b);
}

export function makeSlices(parts: Parts): Slices {
    const lanes = busiest(parts);
    const row = new Int32Array(parts.lanes.length).fill(-1);
    lanes.forEach((lane, i) => (row[lane] = i));
    const { slices, sliceS, lengthS } = parts;
    const s = new Float32Array(lanes.length * slices * KINDS.length);
    const most = new Float32Array(lanes.length * slices);
    const dearest = new Int32Array(most.length).fill(-1);
    for (const cells of [parts.cells, parts.rest]) {
        for (let i = 0; i < cells.s.length; i++) {
            if (cells.slice[i] < 0 || row[cells.lane[i]] < 0) continue;
            const at = row[cells.lane[i]] * slices + cells.slice[i];
            s[at * KINDS.length + cells.kind[i]] += cells.s[i];
            if (cells.site[i] < 0 || cells.s[i] <= most[at]) continue;
            most[at] = cells.s[i];
            dearest[at] = cells.site[i];
        }
    }
    return { lanes, isSeveral: lanes.map((lane) => parts.lanes[lane].threads > 1), sliceS, lengthS, slices, s, dearest, places: parts.sites.map(({ path, line }) => ({ path, line })) };
}
