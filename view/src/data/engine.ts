// SPDX-License-Identifier: Apache-2.0
// Holds a profile and answers questions about it. It runs in a worker; where there can be none, in
// the page itself.
import { makeDetail, type Detail } from "./detail";
import { makeFlame, type Flame } from "./flame";
import type { Model } from "./model";
import { chargeLines, narrowModel } from "./narrow";
import { narrowParts } from "./narrow_parts";
import { parseProfile, type Parsed } from "./parse";
import { isWhole, parseParts, stackWeights, sumSites, type Parts, type Selection, type SiteSums } from "./parts";
import { number } from "./read";
import { makeSlices, type Slices } from "./slices";
import { memoryStacks, timeStacks, type Stacks } from "./stacks";
import { makeTimeline, selectedWeights, type Timeline } from "./timeline";

/** Which of the two profiles: the one shown, or the one it is compared with. */
export type Slot = "profile" | "compare";

export type Question =
    | { kind: "load"; slot: Slot; text: string }
    | { kind: "detail"; path: string; line: number; selection: Selection }
    | { kind: "flame"; of: "time" | "memory"; byLine: boolean; selection: Selection }
    | { kind: "timeline" }
    | { kind: "narrow"; selection: Selection };

/** What the timeline draws: slices of our own profiles, single runs of stacks of upstream's. */
export type Drawn = { slices: Slices } | { runs: Timeline & { frames: Stacks } };

export type Answers = { load: Model; detail: Detail | null; flame: Flame; timeline: Drawn; narrow: Model };

class Held {
    private time?: Stacks;
    private memory?: Stacks;
    private line?: Timeline;
    private cells?: Parts | null;

    constructor(readonly parsed: Parsed) {}

    get timeStacks(): Stacks {
        return (this.time ??= timeStacks(this.parsed.root));
    }
    get memoryStacks(): Stacks {
        return (this.memory ??= memoryStacks(this.parsed.root));
    }
    /** Null: the profile is of another profiler, or too old. */
    get parts(): Parts | null {
        return this.cells === undefined ? (this.cells = parseParts(this.parsed.root)) : this.cells;
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
                return this.detail(question.path, question.line, question.selection);
            case "flame":
                return this.flame(question.of, question.byLine, question.selection);
            case "timeline":
                return this.timeline();
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

    private detail(path: string, line: number, selection: Selection): Detail | null {
        const { parsed, timeline, parts } = this.profile;
        const stacks = this.selectedStacks(selection);
        const file = parsed.model.files.findIndex((one) => one.path === path);
        const item = parsed.items[file]?.lines.find((one) => one.lineno === line);
        if (!item) return null;
        return makeDetail(item, path, parsed.model, number(parsed.root, "start_time_perf"), { stacks, timeline, parts });
    }

    private timeline(): Drawn {
        const { parts, timeline, timeStacks: frames } = this.profile;
        return parts ? { slices: makeSlices(parts) } : { runs: { ...timeline, frames } };
    }

    private sums(parts: Parts, selection: Selection): SiteSums {
        return sumSites(parts, selection, this.profile.parsed.model.processes.map((process) => process.pid));
    }

    /** What each stack weighs in a selection. */
    private weights(selection: Selection): Float64Array {
        const { parsed: { model }, parts, timeStacks: stacks, timeline } = this.profile;
        if (!parts) return selectedWeights(timeline, stacks, selection);
        return stackWeights(parts, this.sums(parts, selection), stacks.stacks.length, model.cpuS > 0 ? model.samples / model.cpuS : 1000);
    }

    private selectedStacks(selection: Selection): Stacks {
        const { timeStacks: all } = this.profile;
        if (isWhole(selection)) return all;
        const weights = this.weights(selection);
        return { ...all, stacks: all.stacks.map((stack, i) => ({ ...stack, weight: weights[i] })) };
    }

    private flame(of: "time" | "memory", byLine: boolean, selection: Selection): Flame {
        const { timeStacks: stacks, memoryStacks: memory } = this.profile;
        if (of === "memory") return makeFlame(memory, byLine);
        return makeFlame(stacks, byLine, isWhole(selection) ? undefined : this.weights(selection));
    }

    private narrow(selection: Selection): Model {
        const { parsed: { model }, parts, timeStacks: stacks } = this.profile;
        if (parts) return narrowParts(model, parts, this.sums(parts, selection), selection);
        const paths = new Set(model.files.map((file) => file.path));
        return narrowModel(model, chargeLines(stacks, this.weights(selection), paths));
    }
}
