// SPDX-License-Identifier: Apache-2.0
// Draws which stack ran when: a lane for each thread, coloured by what the innermost frame was.
import type { Frame, Stacks } from "../data/stacks";
import type { Timeline } from "../data/timeline";
import { colour } from "../theme";

export const LANE_PX = 34;

/** The innermost frame, and the innermost one of Python. */
export function innermost({ frames, stacks }: Stacks, stack: number): { leaf: Frame | null; python: Frame | null } {
    const chain = stacks[stack]?.frames ?? new Int32Array(0);
    let at = chain.length - 1;
    const leaf = at >= 0 ? frames[chain[at]] : null;
    while (at >= 0 && frames[chain[at]].isNative) at--;
    return { leaf, python: at >= 0 ? frames[chain[at]] : null };
}

export type Range = { fromS: number; toS: number };

/** Runs of one thread closer together than a pixel are drawn once. */
export function drawTimeline(canvas: HTMLCanvasElement, line: Timeline & { frames: Stacks }, lanes: number[], width: number, range: Range | null): void {
    const ratio = devicePixelRatio || 1;
    const height = lanes.length * LANE_PX;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const ink = canvas.getContext("2d")!;
    ink.scale(ratio, ratio);
    const perS = width / (line.lengthS || 1);
    const laneOf = new Map(lanes.map((thread, lane) => [thread, lane]));
    const lastX = new Float64Array(lanes.length).fill(-1);
    const isNative = line.frames.stacks.map((_, i) => innermost(line.frames, i).leaf?.isNative ?? false);
    const [python, native] = [colour("python"), colour("native")];
    for (let i = 0; i < line.startS.length; i++) {
        const lane = laneOf.get(line.thread[i]);
        const x = line.startS[i] * perS;
        const w = Math.max(1, (line.endS[i] - line.startS[i]) * perS);
        if (lane === undefined || x + w <= lastX[lane] + 0.5) continue;
        ink.fillStyle = isNative[line.stack[i]] ? native : python;
        ink.fillRect(x, lane * LANE_PX + 4, w, LANE_PX - 8);
        lastX[lane] = x + w;
    }
    if (range) drawRange(ink, range, perS, width, height);
}

function drawRange(ink: CanvasRenderingContext2D, range: Range, perS: number, width: number, height: number): void {
    ink.fillStyle = colour("page");
    ink.globalAlpha = 0.72;
    ink.fillRect(0, 0, range.fromS * perS, height);
    ink.fillRect(range.toS * perS, 0, width, height);
    ink.globalAlpha = 1;
    ink.fillStyle = colour("accent");
    ink.fillRect(range.fromS * perS - 1, 0, 2, height);
    ink.fillRect(range.toS * perS - 1, 0, 2, height);
}

/** The run at a point, or -1. */
export function runAt(line: Timeline, lanes: number[], width: number, px: number, py: number): number {
    const thread = lanes[Math.floor(py / LANE_PX)];
    const t = (px / width) * line.lengthS;
    for (let i = 0; i < line.startS.length && line.startS[i] <= t; i++)
        if (line.thread[i] === thread && line.endS[i] >= t) return i;
    return -1;
}
