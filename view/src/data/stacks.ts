// SPDX-License-Identifier: Apache-2.0
// The stacks of a profile: frames are kept once, stacks are lists of their numbers, outermost first.
import type { Root } from "./about";
import { finite, isObject, list, number, text, type Loose } from "./read";
import type { Frame as FrameJson } from "./schema";

export type Frame = { isNative: boolean; name: string; file: string; line: number };

export type Stack = { frames: Int32Array; weight: number };

export type Stacks = { frames: Frame[]; stacks: Stack[] };

class Frames {
    readonly all: Frame[] = [];
    private readonly known = new Map<string, number>();

    add(frame: Frame): number {
        const key = `${frame.isNative ? 1 : 0}\0${frame.line}\0${frame.name}\0${frame.file}`;
        let i = this.known.get(key);
        if (i === undefined) {
            i = this.all.push(frame) - 1;
            this.known.set(key, i);
        }
        return i;
    }
}

function frameOf(value: unknown): Frame {
    const frame: Loose<FrameJson> = isObject(value) ? value : {};
    return {
        isNative: frame.kind === "native", name: nameOf(text(frame, "display_name"), text(frame, "filename_or_module")),
        file: text(frame, "filename_or_module"), line: number(frame, "line"),
    };
}

/** A function without a name is known by where it is. */
const nameOf = (name: string, file: string): string => (name && name !== "?" ? name : `(${file.replace(/^.*\//, "") || "unknown"})`);

/** The other form of a frame: "file function:line;". */
function frameFromText(value: unknown): Frame {
    const parts = /^(.*) (\S+):(\d+);?$/.exec(typeof value === "string" ? value : "");
    return parts
        ? { isNative: false, name: parts[2], file: parts[1], line: Number(parts[3]) }
        : { isNative: false, name: String(value), file: "", line: 0 };
}

function read(items: unknown[], frame: (value: unknown) => Frame, weight: (cost: unknown) => number): Stacks {
    const frames = new Frames();
    const stacks = items.map((item) => {
        const [chain, cost] = Array.isArray(item) ? (item as unknown[]) : [];
        const ids = Array.isArray(chain) ? chain.map((one) => frames.add(frame(one))) : [];
        return { frames: Int32Array.from(ids), weight: weight(cost) };
    });
    return { frames: frames.all, stacks };
}

/** Where the time went, in samples; profiles without combined stacks have Python's alone. */
export function timeStacks(root: Root): Stacks {
    const combined = list(root, "combined_stacks");
    if (combined.length) return read(combined, frameOf, (hits) => finite(hits));
    return read(list(root, "stacks"), frameFromText, (cost) => (isObject(cost) ? number<{ count: number }>(cost, "count") : 0));
}

/** Who allocated, in MiB. */
export function memoryStacks(root: Root): Stacks {
    return read(list(root, "memory_stacks"), frameOf, (mb) => finite(mb));
}
