// SPDX-License-Identifier: Apache-2.0
// Draws which stack ran when: a lane for each thread, coloured by what the innermost frame was.
import type { Frame, Stacks } from "../data/stacks";
import { KINDS } from "../data/parts";
import type { Slices } from "../data/slices";
import type { Timeline } from "../data/timeline";
import { colour } from "../theme";

export const LANE_PX = 34;
const GAP_PX = 4;

/** The innermost frame, and the innermost one of Python. */
export function innermost({ frames, stacks }: Stacks, stack: number): { leaf: Frame | null; python: Frame | null } {
    const chain = stacks[stack]?.frames ?? new Int32Array(0);
    let at = chain.length - 1;
    const leaf = at >= 0 ? frames[chain[at]] : null;
    while (at >= 0 && frames[chain[at]].isNative) at--;
    return { leaf, python: at >= 0 ? frames[chain[at]] : null };
}

export type Range = { fromS: number; toS: number };
export type Runs = Timeline & { frames: Stacks };

/** A canvas in the pixels of the screen. */
export function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const ink = canvas.getContext("2d")!;
    ink.scale(ratio, ratio);
    return ink;
}

/** Runs of one thread closer together than a pixel are drawn once. */
export function drawRuns(ink: CanvasRenderingContext2D, runs: Runs, lanes: number[], perS: number): void {
    const laneOf = new Map(lanes.map((thread, lane) => [thread, lane]));
    const lastX = new Float64Array(lanes.length).fill(-1);
    const isNative = runs.frames.stacks.map((_, i) => innermost(runs.frames, i).leaf?.isNative ?? false);
    const [python, native] = [colour("python"), colour("native")];
    for (let i = 0; i < runs.startS.length; i++) {
        const lane = laneOf.get(runs.thread[i]);
        const x = runs.startS[i] * perS;
        const w = Math.max(1, (runs.endS[i] - runs.startS[i]) * perS);
        if (lane === undefined || x + w <= lastX[lane] + 0.5) continue;
        ink.fillStyle = isNative[runs.stack[i]] ? native : python;
        ink.fillRect(x, lane * LANE_PX + GAP_PX, w, LANE_PX - 2 * GAP_PX);
        lastX[lane] = x + w;
    }
}

/** Bars on each other, as high as the part of the slice. */
export function drawSlices(ink: CanvasRenderingContext2D, slices: Slices, rows: number[], perS: number): void {
    const paints = KINDS.map((kind) => colour(kind));
    const tall = LANE_PX - 2 * GAP_PX;
    rows.forEach((row, lane) => {
        const bottom = (lane + 1) * LANE_PX - GAP_PX;
        ink.fillStyle = colour("rule");
        ink.fillRect(0, bottom, slices.lengthS * perS, 1);
        const most = mostOf(slices, row);
        for (let slice = 0; slice < slices.slices; slice++) {
            const [x, end] = [Math.floor(slice * slices.sliceS * perS), Math.floor(Math.min((slice + 1) * slices.sliceS, slices.lengthS) * perS)];
            let y = bottom;
            for (let kind = 0; kind < KINDS.length; kind++) {
                const h = Math.min(y - bottom + tall, (tall * slices.s[(row * slices.slices + slice) * KINDS.length + kind]) / most);
                if (!(h > 0)) continue;
                ink.fillStyle = paints[kind];
                ink.fillRect(x, y - h, Math.max(1, end - x), h);
                y -= h;
            }
        }
    });
}

/** Seconds of a full lane: a slice, or, of several threads, what they had in one at most. */
function mostOf({ s, slices, sliceS, isSeveral }: Slices, row: number): number {
    let most = sliceS;
    if (!isSeveral[row]) return most;
    for (let at = row * slices; at < (row + 1) * slices; at++) {
        let sum = 0;
        for (let kind = 0; kind < KINDS.length; kind++) sum += s[at * KINDS.length + kind];
        most = Math.max(most, sum);
    }
    return most;
}

export function drawRange(ink: CanvasRenderingContext2D, range: Range, perS: number, width: number, height: number): void {
    ink.fillStyle = colour("page");
    ink.globalAlpha = 0.72;
    ink.fillRect(0, 0, range.fromS * perS, height);
    ink.fillRect(range.toS * perS, 0, width, height);
    ink.globalAlpha = 1;
    ink.fillStyle = colour("accent");
    ink.fillRect(range.fromS * perS - 1, 0, 2, height);
    ink.fillRect(range.toS * perS - 1, 0, 2, height);
}

/** The run of a thread at a moment, or -1. */
export function runAt(runs: Runs, thread: number | undefined, seconds: number): number {
    for (let i = 0; i < runs.startS.length && runs.startS[i] <= seconds; i++)
        if (runs.thread[i] === thread && runs.endS[i] >= seconds) return i;
    return -1;
}
