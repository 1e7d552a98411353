// SPDX-License-Identifier: Apache-2.0
// Draws a flame chart on a canvas, and finds the frame under a point.
import type { Flame } from "../data/flame";
import { colour, isDark } from "../theme";

export const ROW_PX = 20;

/** What part of the chart is seen: the node that fills the width, and how far it is scrolled. */
export type Sight = { zoom: number; scrollTop: number; width: number; height: number };

export type Look = { of: "time" | "memory"; hover: number; matches: Uint8Array | null };

/** Nodes of each depth from left to right. */
export function rowsOf(flame: Flame): number[][] {
    const rows: number[][] = Array.from({ length: flame.maxDepth + 1 }, () => []);
    flame.depth.forEach((depth, node) => rows[depth].push(node));
    return rows;
}

/** Narrower frames are not drawn: they would only be noise. */
const LEAST_PX = 0.4;
const LEAST_TEXT_PX = 30;

function hash(text: string): number {
    let h = 0;
    for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) | 0;
    return (h >>> 0) / 2 ** 32;
}

/** One hue for time, one for memory; native code is paler, and names differ a little in lightness. */
function fillOf(flame: Flame, node: number, look: Look): string {
    const frame = flame.frames[flame.frame[node]];
    if (!frame) return colour("rule");
    const hue = look.of === "time" ? 212 : 32;
    const vary = 8 * hash(frame.name);
    const base = isDark() ? (frame.isNative ? 24 : 34) : frame.isNative ? 80 : 66;
    const saturation = frame.isNative ? 34 : 52;
    return `hsl(${hue} ${saturation}% ${base + vary}%)`;
}

/** From the unit of the weights to pixels, given what fills the width. */
function scale(flame: Flame, sight: Sight): { x: (at: number) => number; perUnit: number } {
    const perUnit = sight.width / (flame.value[sight.zoom] || 1);
    return { x: (at) => (at - flame.start[sight.zoom]) * perUnit, perUnit };
}

export function draw(canvas: HTMLCanvasElement, flame: Flame, rows: number[][], sight: Sight, look: Look): void {
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(sight.width * ratio);
    canvas.height = Math.round(sight.height * ratio);
    const ink = canvas.getContext("2d")!;
    ink.scale(ratio, ratio);
    ink.font = `12px ${getComputedStyle(canvas).fontFamily}`;
    ink.textBaseline = "middle";
    const { x, perUnit } = scale(flame, sight);
    const first = Math.max(0, Math.floor(sight.scrollTop / ROW_PX));
    const last = Math.min(rows.length - 1, Math.ceil((sight.scrollTop + sight.height) / ROW_PX));
    for (let depth = first; depth <= last; depth++)
        for (const node of rows[depth]) drawNode(ink, flame, node, x(flame.start[node]), flame.value[node] * perUnit, depth * ROW_PX - sight.scrollTop, sight, look);
}

function drawNode(ink: CanvasRenderingContext2D, flame: Flame, node: number, x: number, width: number, y: number, sight: Sight, look: Look): void {
    if (width < LEAST_PX || x > sight.width || x + width < 0) return;
    const left = Math.max(0, x);
    const w = Math.min(sight.width, x + width) - left;
    const isFaded = look.matches !== null && !look.matches[node];
    ink.globalAlpha = isFaded ? 0.25 : 1;
    ink.fillStyle = look.matches?.[node] ? colour("accent-soft") : fillOf(flame, node, look);
    ink.fillRect(left, y, Math.max(0.5, w - 1), ROW_PX - 1);
    if (node === look.hover) {
        ink.strokeStyle = colour("ink");
        ink.lineWidth = 1.5;
        ink.strokeRect(left + 1, y + 1, Math.max(1, w - 3), ROW_PX - 3);
    }
    if (w >= LEAST_TEXT_PX) {
        ink.fillStyle = colour("ink");
        ink.fillText(fit(ink, nameOf(flame, node), w - 8), left + 4, y + ROW_PX / 2);
    }
    ink.globalAlpha = 1;
}

function fit(ink: CanvasRenderingContext2D, text: string, width: number): string {
    const short = text.slice(0, 300);
    if (ink.measureText(short).width <= width) return short;
    let [low, high] = [0, short.length];
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (ink.measureText(`${short.slice(0, middle)}…`).width <= width) low = middle;
        else high = middle - 1;
    }
    return low > 0 ? `${short.slice(0, low)}…` : "";
}

export function nameOf(flame: Flame, node: number): string {
    const frame = flame.frames[flame.frame[node]];
    if (!frame) return "all";
    return flame.byLine && frame.line ? `${frame.name}:${frame.line}` : frame.name;
}

/** The node at a point of the canvas, or -1. */
export function nodeAt(flame: Flame, rows: number[][], sight: Sight, px: number, py: number): number {
    const row = rows[Math.floor((py + sight.scrollTop) / ROW_PX)] ?? [];
    const { x, perUnit } = scale(flame, sight);
    return row.find((node) => px >= x(flame.start[node]) && px < x(flame.start[node]) + flame.value[node] * perUnit) ?? -1;
}

export function matchesOf(flame: Flame, words: string[]): Uint8Array | null {
    if (!words.length) return null;
    const isMatch = flame.frames.map((frame) => {
        const text = `${frame.name} ${frame.file}:${frame.line}`.toLowerCase();
        return words.every((word) => text.includes(word)) ? 1 : 0;
    });
    return Uint8Array.from(flame.frame, (frame) => (frame >= 0 ? isMatch[frame] : 0));
}

/** The neighbour of a node in a direction, or the node itself at the edge. */
export function neighbour(flame: Flame, rows: number[][], node: number, key: string): number {
    const row = rows[flame.depth[node]];
    const at = row.indexOf(node);
    if (key === "ArrowUp") return Math.max(0, flame.parent[node]);
    if (key === "ArrowDown") return (rows[flame.depth[node] + 1] ?? []).find((child) => flame.parent[child] === node) ?? node;
    return row[at + (key === "ArrowRight" ? 1 : -1)] ?? node;
}
