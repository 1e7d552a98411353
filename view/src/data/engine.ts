// SPDX-License-Identifier: Apache-2.0
// Holds a profile and answers questions about it. It runs in a worker; where there can be none, in
// the page itself.
import { makeDetail, type Detail } from "./detail";
import { makeFlame, type Flame } from "./flame";
import type { Model } from "./model";
import { chargeLines, narrowModel } from "./narrow";
import { parseProfile, type Parsed } from "./parse";
import { number } from "./read";
import { memoryStacks, timeStacks, type Stacks } from "./stacks";
import { isWhole, makeTimeline, selectedWeights, type Selection, type Timeline } from "./timeline";

/** Which of the two profiles: the one shown, or the one it is compared with. */
export type Slot = "profile" | "compare";

export type Question =
    | { kind: "load"; slot: Slot; text: string }
    | { kind: "detail"; path: string; line: number }
    | { kind: "flame"; of: "time" | "memory"; byLine: boolean; selection: Selection }
    | { kind: "timeline" }
    | { kind: "narrow"; selection: Selection };

export type Answers = { load: Model; detail: Detail | null; flame: Flame; timeline: Timeline & { frames: Stacks }; narrow: Model };

class Held {
    private time?: Stacks;
    private memory?: Stacks;
    private line?: Timeline;

    constructor(readonly parsed: Parsed) {}

    get timeStacks(): Stacks {
        return (this.time ??= timeStacks(this.parsed.root));
    }
    get memoryStacks(): Stacks {
        return (this.memory ??= memoryStacks(this.parsed.root));
    }
    get timeline(): Timeline {
        return (this.line ??= makeTimeline(this.parsed.root, this.timeStacks));
    }
}

export class Engine {
    private held: Held | null = null;

    answer(question: Question): Answers[Question["kind"]] {
        switch (question.kind) {
            case "load":
                return this.load(question.slot, question.text);
            case "detail":
                return this.detail(question.path, question.line);
            case "flame":
                return this.flame(question.of, question.byLine, question.selection);
            case "timeline":
                return { ...this.profile.timeline, frames: this.profile.timeStacks };
            case "narrow":
                return this.narrow(question.selection);
        }
    }

    private get profile(): Held {
        if (!this.held) throw new Error("There is no profile yet.");
        return this.held;
    }

    /** Of the one to compare with, only the numbers are kept. */
    private load(slot: Slot, text: string): Model {
        const parsed = parseProfile(text);
        if (slot === "profile") this.held = new Held(parsed);
        return parsed.model;
    }

    private detail(path: string, line: number): Detail | null {
        const { parsed, timeStacks: stacks, timeline } = this.profile;
        const file = parsed.model.files.findIndex((one) => one.path === path);
        const item = parsed.items[file]?.lines.find((one) => one.lineno === line);
        if (!item) return null;
        return makeDetail(item, path, parsed.model, number(parsed.root, "start_time_perf"), stacks, timeline);
    }

    private flame(of: "time" | "memory", byLine: boolean, selection: Selection): Flame {
        const { timeStacks: stacks, memoryStacks: memory, timeline } = this.profile;
        if (of === "memory") return makeFlame(memory, byLine);
        return makeFlame(stacks, byLine, isWhole(selection) ? undefined : selectedWeights(timeline, stacks, selection));
    }

    private narrow(selection: Selection): Model {
        const { parsed, timeStacks: stacks, timeline } = this.profile;
        const paths = new Set(parsed.model.files.map((file) => file.path));
        return narrowModel(parsed.model, chargeLines(stacks, selectedWeights(timeline, stacks, selection), paths));
    }
}
