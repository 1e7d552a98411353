// SPDX-License-Identifier: Apache-2.0
// "Where to look first": the few lines worth a look, in words made from the numbers. Order and words are
// those of src/report/findings.c, where a line may come twice; here all that is said of it is together.
import { functionAround } from "./outline";
import { IDLE_KINDS, isUnsure, largestWait, RANK_SAMPLES, WAIT_KINDS, type FileModel, type Leak, type Model } from "./model";
import { error, share, size } from "./words";

export type Finding = {
    file: FileModel;
    row: number;
    place: string;
    functionName: string;
    /** What is said of it, the weightiest first. */
    says: { kind: "time" | "leak" | "copy"; words: string }[];
    weight: number;
};

const MOST = 5;
/** Making a smaller line free is not worth a look. */
const LEAST_PERCENT = 3;
/** A suspected leak ranks with a line of so many percent. */
const LEAK_WEIGHT = 20;
const LEAST_COPY_MB_S = 100;

/** What a line's time is made of, as one says it. */
export function timeKind(file: FileModel, row: number): string {
    const { python, native, system, idle, time, waits } = file.lines;
    const waiting = `waiting (${largestWait(waits, row * WAIT_KINDS.length, IDLE_KINDS)})`;
    const parts: [string, number][] = [
        ["Python", python[row]], ["native", native[row]], ["system", system[row] - idle[row]], [waiting, idle[row]],
    ];
    const [first, second] = parts.sort((a, b) => b[1] - a[1]);
    const part = time[row] > 0 ? first[1] / time[row] : 0;
    if (part >= 0.9) return first[0];
    return part >= 0.6 ? `mostly ${first[0]}` : `${first[0]} and ${second[0]}`;
}

/** "leaks 21 MB/s (±2 MB/s), 160 MB live"; upstream's profiles have no error and no live bytes. */
export function leakWords(leak: Leak): string {
    const speed = size(leak.velocityMbS);
    const off = size(leak.errorMbS);
    const live = size(leak.liveMb);
    return `leaks${speed && ` ${speed}/s`}${off && ` (±${off})`}${live && `, ${live} live`}`;
}

type Remark = Finding["says"][number] & { weight: number };

function remarks(model: Model, file: FileModel, row: number): Remark[] {
    const { lines } = file;
    const found: Remark[] = [];
    if (lines.time[row] >= LEAST_PERCENT && !isUnsure(model, lines, row)) {
        const off = error(lines.error[row]);
        const words = `${share(lines.time[row])}${off && ` ${off}`} of the time, ${timeKind(file, row)}`;
        found.push({ kind: "time", words, weight: lines.time[row] });
    }
    const leak = file.leaks[lines.lineno[row]];
    if (leak) found.push({ kind: "leak", words: leakWords(leak), weight: LEAK_WEIGHT });
    if (lines.copyMbS[row] >= LEAST_COPY_MB_S) {
        const weight = Math.max(LEAST_PERCENT, lines.time[row]) * 0.99;
        found.push({ kind: "copy", words: `copies ${size(lines.copyMbS[row])}/s`, weight });
    }
    return found.sort((a, b) => b.weight - a.weight);
}

/** What there is to say of a line in one finding: a line is listed once. */
function lineFinding(model: Model, file: FileModel, row: number): Finding[] {
    const says = remarks(model, file, row);
    const place = `${file.shortPath}:${file.lines.lineno[row]}`;
    return says.length ? [{ file, row, place, functionName: "", says, weight: says[0].weight }] : [];
}

/** Whether there are too few samples to rank anything. */
export const isTooShort = (model: Model): boolean => model.features.samples && model.samples + model.looks < RANK_SAMPLES;

export function findings(model: Model): Finding[] {
    if (isTooShort(model)) return [];
    const all: Finding[] = [];
    for (const file of model.files)
        for (let row = 0; row < file.lines.n; row++) if (file.lines.isActive[row]) all.push(...lineFinding(model, file, row));
    return all
        .sort((a, b) => b.weight - a.weight || (a.place < b.place ? -1 : 1))
        .slice(0, MOST)
        .map((found) => ({ ...found, functionName: functionAround(found.file, found.row) }));
}

export type Holder = { file: FileModel; row: number; mb: number; percent: number };

const MOST_HOLDERS = 3;
const LEAST_PART = 0.1;
const LEAST_PEAK_MB = 10;

/** Which lines held the memory when it was largest, as in src/report/peak.c. */
export function peakHolders(model: Model): Holder[] {
    const { peakMb } = model.memory;
    const all: Holder[] = [];
    if (peakMb < LEAST_PEAK_MB) return all;
    for (const file of model.files)
        file.lines.atPeakMb.forEach((mb, row) => {
            if (mb >= LEAST_PART * peakMb) all.push({ file, row, mb, percent: Math.min(100, (100 * mb) / peakMb) });
        });
    return all.sort((a, b) => b.mb - a.mb || a.row - b.row).slice(0, MOST_HOLDERS);
}
