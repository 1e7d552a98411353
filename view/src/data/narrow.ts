// SPDX-License-Identifier: Apache-2.0
// The same model for a part of the run: chosen threads, a range of time. It is made from the stacks
// of the timeline, which know samples and whether the innermost frame is native, and no more.
import { emptyRows, largestTimes, rowOfLine, type FileModel, type Model, type Rows } from "./model";
import type { Frame, Stacks } from "./stacks";

/** Samples of a line, by what its innermost frame was. */
export type LineSamples = { path: string; line: number; name: string; python: number; native: number };

/** Each stack is charged to the line of its innermost frame in a listed file. */
export function chargeLines({ frames, stacks }: Stacks, weights: Float64Array, paths: Set<string>): LineSamples[] {
    const byFrame = new Map<Frame, LineSamples>();
    stacks.forEach((stack, i) => {
        if (!(weights[i] > 0)) return;
        const ids = stack.frames;
        let at = ids.length - 1;
        while (at >= 0 && (frames[ids[at]].isNative || !paths.has(frames[ids[at]].file))) at--;
        if (at < 0) return;
        const frame = frames[ids[at]];
        const sum = byFrame.get(frame) ?? { path: frame.file, line: frame.line, name: frame.name, python: 0, native: 0 };
        sum[frames[ids[ids.length - 1]].isNative ? "native" : "python"] += weights[i];
        byFrame.set(frame, sum);
    });
    return [...byFrame.values()];
}

function addSamples(rows: Rows, i: number, sample: LineSamples, all: number): void {
    if (i < 0) return;
    rows.python[i] += (100 * sample.python) / all;
    rows.native[i] += (100 * sample.native) / all;
    rows.time[i] = rows.python[i] + rows.native[i];
    rows.samples[i] += sample.python + sample.native;
    rows.isActive[i] = 1;
}

/** What stays of a row whatever is chosen: where it is. */
const PLACES = ["lineno", "functionStart", "functionEnd", "regionStart", "regionEnd", "loopStart", "loopEnd"] as const;

export function blank(rows: Rows): Rows {
    const empty = emptyRows(rows.n);
    for (const name of PLACES) empty[name] = rows[name];
    return empty;
}

function narrowFile(file: FileModel, samples: LineSamples[], all: number): FileModel {
    const lines = blank(file.lines);
    const functions = blank(file.functions);
    for (const sample of samples) {
        addSamples(lines, rowOfLine(lines, sample.line), sample, all);
        addSamples(functions, file.functionNames.indexOf(sample.name), sample, all);
    }
    const percent = samples.reduce((sum, sample) => sum + (100 * (sample.python + sample.native)) / all, 0);
    return { ...file, percent, lines, functions, leaks: {}, trendRows: new Int32Array(0), trends: new Float32Array(0) };
}

export function narrowModel(model: Model, samples: LineSamples[]): Model {
    const python = samples.reduce((sum, one) => sum + one.python, 0);
    const native = samples.reduce((sum, one) => sum + one.native, 0);
    const all = python + native || 1;
    const files = model.files
        .map((file) => narrowFile(file, samples.filter((one) => one.path === file.path), all))
        .sort((a, b) => b.percent - a.percent);
    return {
        ...model, files, largest: largestTimes(files), python: (100 * python) / all, native: (100 * native) / all, system: 0,
        samples: python + native, looks: 0, cpuS: 0, idleS: 0,
        features: { ...model.features, samples: true, memory: false, copy: false, gpu: false, await: false, waits: false },
    };
}
