// SPDX-License-Identifier: Apache-2.0
// Which stack ran when, in which thread; and what of it a selection takes.
import type { Root } from "./about";
import type { Selection } from "./parts";
import { isObject, list, number } from "./read";
import type { Profile } from "./schema";
import type { Stacks } from "./stacks";

/** Runs of equal stacks, by time; all arrays have one entry per run. */
export type Timeline = {
    startS: Float64Array;
    endS: Float64Array;
    stack: Int32Array;
    count: Float64Array;
    /** Index into threads. */
    thread: Uint16Array;
    threads: number[];
    lengthS: number;
};

type Run = { t: number; stack: number; count: number; thread: number };

function readRuns(root: Root): Run[] {
    type Json = Profile["combined_stacks_timeline"][number];
    return list(root, "combined_stacks_timeline").filter(isObject).map((run) => ({
        t: number<Json>(run, "t_sec"), stack: number<Json>(run, "stack_index"), count: Math.max(1, number<Json>(run, "count")),
        thread: typeof run.thread_id === "number" ? run.thread_id : 0,
    })).sort((a, b) => a.t - b.t);
}

/** Seconds a sample stands for: the middle one of what runs that follow each other show. */
function sampleSeconds(runs: Run[]): number {
    const last = new Map<number, Run>();
    const steps: number[] = [];
    for (const run of runs) {
        const before = last.get(run.thread);
        if (before && run.t > before.t) steps.push((run.t - before.t) / before.count);
        last.set(run.thread, run);
    }
    return steps.sort((a, b) => a - b)[steps.length >> 1] ?? 0.01;
}

export function makeTimeline(root: Root, stacks: Stacks): Timeline {
    const runs = readRuns(root).filter((run) => run.stack < stacks.stacks.length);
    const perSample = sampleSeconds(runs);
    const threads = [...new Set(runs.map((run) => run.thread))].slice(0, 65_535);
    const numberOf = new Map(threads.map((thread, i) => [thread, i]));
    const line: Timeline = {
        startS: Float64Array.from(runs, (run) => run.t), endS: new Float64Array(runs.length),
        stack: Int32Array.from(runs, (run) => run.stack), count: Float64Array.from(runs, (run) => run.count),
        thread: Uint16Array.from(runs, (run) => numberOf.get(run.thread) ?? 0), threads, lengthS: 0,
    };
    setEnds(line, perSample);
    return line;
}

/** A run ends after its samples, or where the next one of its thread begins. */
function setEnds(line: Timeline, perSample: number): void {
    const next = new Float64Array(line.threads.length).fill(Infinity);
    for (let i = line.startS.length - 1; i >= 0; i--) {
        line.endS[i] = Math.min(next[line.thread[i]], line.startS[i] + line.count[i] * perSample);
        next[line.thread[i]] = line.startS[i];
        line.lengthS = Math.max(line.lengthS, line.endS[i]);
    }
}

/** What each stack weighs within a selection, in samples. */
export function selectedWeights(line: Timeline, stacks: Stacks, selection: Selection): Float64Array {
    const weights = new Float64Array(stacks.stacks.length);
    const from = selection.fromS ?? 0;
    const to = selection.toS ?? Infinity;
    const isChosen = line.threads.map((thread) => selection.threads === null || selection.threads.includes(thread));
    for (let i = 0; i < line.startS.length; i++) {
        const length = line.endS[i] - line.startS[i];
        const inside = Math.min(line.endS[i], to) - Math.max(line.startS[i], from);
        if (!isChosen[line.thread[i]] || inside < 0 || (inside === 0 && length > 0)) continue;
        weights[line.stack[i]] += line.count[i] * (length > 0 ? inside / length : 1);
    }
    return weights;
}
