// SPDX-License-Identifier: Apache-2.0
// A flame chart: stacks with a common beginning laid on each other, the dearest first.
import type { Frame, Stacks } from "./stacks";

/** Node 0 is the whole. Nodes stand in the order of drawing: a node before those it called. */
export type Flame = {
    frames: Frame[];
    /** Index into frames; -1 for the whole. */
    frame: Int32Array;
    parent: Int32Array;
    depth: Uint16Array;
    /** Where a node begins and how wide it is, in the unit of the weights. */
    start: Float64Array;
    value: Float64Array;
    /** Its part that no callee has. */
    self: Float64Array;
    total: number;
    maxDepth: number;
    /** Whether frames of one function on several lines are kept apart. */
    byLine: boolean;
};

/** Deeper stacks are cut: nobody reads them, and a depth must fit its array. */
const MOST_FRAMES = 2000;

type Node = { frame: number; parent: number; depth: number; value: number; self: number; children: number[] };

class Tree {
    readonly nodes: Node[] = [{ frame: -1, parent: -1, depth: 0, value: 0, self: 0, children: [] }];
    private readonly known = new Map<number, number>();

    constructor(private readonly nFrames: number) {}

    private child(parent: number, frame: number): number {
        const key = parent * this.nFrames + frame;
        let i = this.known.get(key);
        if (i === undefined) {
            i = this.nodes.push({ frame, parent, depth: this.nodes[parent].depth + 1, value: 0, self: 0, children: [] }) - 1;
            this.nodes[parent].children.push(i);
            this.known.set(key, i);
        }
        return i;
    }

    add(frames: ArrayLike<number>, weight: number): void {
        let at = 0;
        this.nodes[0].value += weight;
        for (let i = 0; i < frames.length && i < MOST_FRAMES; i++) {
            at = this.child(at, frames[i]);
            this.nodes[at].value += weight;
        }
        this.nodes[at].self += weight;
    }
}

function layOut(tree: Tree, frames: Frame[], byLine: boolean): Flame {
    const { nodes } = tree;
    const n = nodes.length;
    const flame: Flame = {
        frames, frame: new Int32Array(n), parent: new Int32Array(n), depth: new Uint16Array(n), start: new Float64Array(n),
        value: new Float64Array(n), self: new Float64Array(n), total: nodes[0].value, maxDepth: 0, byLine,
    };
    // By hand, not by recursion: a stack may be deeper than ours.
    const todo: { node: number; parent: number; start: number }[] = [{ node: 0, parent: -1, start: 0 }];
    for (let at = 0; todo.length; at++) {
        const { node: i, parent, start } = todo.pop()!;
        const node = nodes[i];
        flame.frame[at] = node.frame;
        flame.parent[at] = parent;
        flame.depth[at] = node.depth;
        flame.start[at] = start;
        flame.value[at] = node.value;
        flame.self[at] = node.self;
        flame.maxDepth = Math.max(flame.maxDepth, node.depth);
        const children = node.children.sort((a, b) => nodes[b].value - nodes[a].value);
        let next = start + node.value;
        for (const child of [...children].reverse()) {
            next -= nodes[child].value;
            todo.push({ node: child, parent: at, start: next - node.self });
        }
    }
    return flame;
}

/** Frames of one function as one, whatever line they are on. */
function mergeLines(frames: Frame[]): { merged: Frame[]; of: Int32Array } {
    const known = new Map<string, number>();
    const merged: Frame[] = [];
    const of = Int32Array.from(frames, (frame) => {
        const key = `${frame.isNative}\0${frame.name}\0${frame.file}`;
        let i = known.get(key);
        if (i === undefined) {
            i = merged.push({ ...frame }) - 1;
            known.set(key, i);
        }
        return i;
    });
    return { merged, of };
}

/** `weights` stands in for the stacks' own: what is selected of them. */
export function makeFlame({ frames, stacks }: Stacks, byLine: boolean, weights?: Float64Array): Flame {
    const { merged, of } = byLine ? { merged: frames, of: null } : mergeLines(frames);
    const tree = new Tree(merged.length);
    stacks.forEach((stack, i) => {
        const weight = weights ? weights[i] : stack.weight;
        if (weight > 0) tree.add(of ? stack.frames.map((frame) => of[frame]) : stack.frames, weight);
    });
    return layOut(tree, merged, byLine);
}

export type Total = { frame: Frame; self: number; total: number };

/** What each function cost by itself and with all it called; recursion counts once. */
export function totals(flame: Flame): Total[] {
    const byFrame: Total[] = flame.frames.map((frame) => ({ frame, self: 0, total: 0 }));
    for (let i = 1; i < flame.frame.length; i++) {
        byFrame[flame.frame[i]].self += flame.self[i];
        if (!isCalledBySame(flame, i)) byFrame[flame.frame[i]].total += flame.value[i];
    }
    return byFrame.filter((one) => one.total > 0).sort((a, b) => b.self - a.self || b.total - a.total);
}

function isCalledBySame(flame: Flame, node: number): boolean {
    for (let at = flame.parent[node]; at > 0; at = flame.parent[at]) if (flame.frame[at] === flame.frame[node]) return true;
    return false;
}
