// SPDX-License-Identifier: Apache-2.0
// All that is known of one line: asked for when its row is opened.
import type { Model } from "./model";
import { laneName, threadName } from "./names";
import { lanesAt, type Parts } from "./parts";
import { list, number, object, pairs, strings } from "./read";
import type { Item } from "./rows";
import type { Lifetimes, Line } from "./schema";
import type { Frame, Stacks } from "./stacks";
import type { Timeline } from "./timeline";

export type Weighted = { name: string; file: string; line: number; weight: number };

export type Detail = {
    /** Who called the line's function, and what native functions ran below the line; in samples. */
    callers: Weighted[];
    natives: Weighted[];
    /** The whole stacks that end here, the dearest first. */
    stacks: { frames: Frame[]; weight: number }[];
    samplesHere: number;
    /** Who ran it, the most first; of 1. */
    threads: { name: string; part: number }[];
    memory: Float64Array;
    /** Moments of samples, in seconds since the start. */
    moments: number[];
    taskNames: string[];
    lifetimes: { atOnceMb: number; freedMb: number; keptMb: number };
    mallocs: number;
    mallocErrorMb: number;
    liveErrorMb: number;
    gpuAvgMb: number;
    concurrencyPeak: number;
};

const MOST = 6;

class Weights {
    private readonly byKey = new Map<string, Weighted>();

    add(frame: Frame, weight: number): void {
        const key = `${frame.name}\0${frame.file}\0${frame.line}`;
        const known = this.byKey.get(key);
        if (known) known.weight += weight;
        else this.byKey.set(key, { name: frame.name, file: frame.file, line: frame.line, weight });
    }

    largest(): Weighted[] {
        return [...this.byKey.values()].sort((a, b) => b.weight - a.weight).slice(0, MOST);
    }
}

/** The index within a stack of the line's frame, if it is the innermost Python frame of its file. */
function frameAt(stacks: Stacks, ids: Int32Array, path: string, line: number): number {
    for (let i = ids.length - 1; i >= 0; i--) {
        const frame = stacks.frames[ids[i]];
        if (!frame.isNative && frame.file === path) return frame.line === line ? i : -1;
    }
    return -1;
}

function stackFacts(stacks: Stacks, path: string, line: number): Pick<Detail, "callers" | "natives" | "stacks" | "samplesHere"> & { here: Set<number> } {
    const callers = new Weights();
    const natives = new Weights();
    const whole: Detail["stacks"] = [];
    const here = new Set<number>();
    stacks.stacks.forEach((stack, i) => {
        const at = frameAt(stacks, stack.frames, path, line);
        if (at < 0 || !(stack.weight > 0)) return;
        here.add(i);
        if (at > 0) callers.add(stacks.frames[stack.frames[at - 1]], stack.weight);
        const leaf = stacks.frames[stack.frames[stack.frames.length - 1]];
        if (leaf.isNative) natives.add(leaf, stack.weight);
        whole.push({ frames: [...stack.frames].map((frame) => stacks.frames[frame]), weight: stack.weight });
    });
    const samplesHere = whole.reduce((sum, stack) => sum + stack.weight, 0);
    const dearest = whole.sort((a, b) => b.weight - a.weight).slice(0, MOST);
    return { callers: callers.largest(), natives: natives.largest(), stacks: dearest, samplesHere, here };
}

function counts(timeline: Timeline, here: Set<number>): { thread: number; count: number }[] {
    const sums = new Float64Array(timeline.threads.length);
    timeline.stack.forEach((stack, i) => {
        if (here.has(stack)) sums[timeline.thread[i]] += timeline.count[i];
    });
    return timeline.threads.map((thread, i) => ({ thread, count: sums[i] })).filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
}

function threadsOf(model: Model, sources: Sources, here: Set<number>, path: string, line: number): Detail["threads"] {
    const named = sources.parts
        ? lanesAt(sources.parts, path, line).map(({ lane, s }) => ({ name: laneName(model, lane), part: s }))
        : counts(sources.timeline, here).map(({ thread, count }) => ({ name: threadName(model, thread), part: count }));
    const all = named.reduce((sum, { part }) => sum + part, 0);
    return named.slice(0, MOST).map(({ name, part }) => ({ name, part: part / all }));
}

/** What besides its row tells of a line. */
export type Sources = { stacks: Stacks; timeline: Timeline; parts: Parts | null };

export function makeDetail(item: Item, path: string, model: Model, startPerf: number, sources: Sources): Detail {
    const { here, ...facts } = stackFacts(sources.stacks, path, number(item, "lineno"));
    const lifetimes = object<Line, Lifetimes>(item, "lifetimes");
    return {
        ...facts, threads: threadsOf(model, sources, here, path, number(item, "lineno")), memory: pairs(item, "memory_samples"),
        moments: list(item, "cpu_samples_list").filter((t): t is number => typeof t === "number")
            .map((t) => t - startPerf).filter((t) => t >= 0 && t <= model.elapsedS * 1.01),
        taskNames: strings(item, "async_task_names"),
        lifetimes: { atOnceMb: number(lifetimes, "at_once_mb"), freedMb: number(lifetimes, "freed_mb"), keptMb: number(lifetimes, "kept_mb") },
        mallocs: number(item, "n_mallocs"), mallocErrorMb: number(item, "n_malloc_error_mb"),
        liveErrorMb: number(item, "n_live_error_mb"), gpuAvgMb: number(item, "n_gpu_avg_memory_mb"),
        concurrencyPeak: number(item, "n_async_concurrency_peak"),
    };
}
