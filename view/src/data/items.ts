// SPDX-License-Identifier: Apache-2.0
// Which rows of which files are shown, in which order: modes, filter, sorting, folding.
import type { Mode } from "../state";
import { functionAround, sourceLines } from "./outline";
import { rowOfLine, type FileModel, type NumberName, type Rows } from "./model";

export type Item =
    | { kind: "file"; key: string; file: FileModel; isOpen: boolean }
    | { kind: "row"; key: string; file: FileModel; row: number }
    | { kind: "function"; key: string; file: FileModel; row: number }
    | { kind: "gap"; key: string; file: FileModel; from: number; to: number }
    | { kind: "detail"; key: string; file: FileModel; row: number }
    | { kind: "note"; key: string; text: string };

export type Wish = {
    mode: Mode;
    q: string;
    sort: { column: NumberName; isUp: boolean } | null;
    isOpen: (file: FileModel) => boolean;
    /** Gaps the user has opened, "path:row". */
    opened: ReadonlySet<string>;
    /** The line whose detail is open. */
    at: { file: FileModel; line: number } | null;
};

const SHOWN_PERCENT = 1;

export function isNotable(rows: Rows, i: number): boolean {
    return rows.time[i] >= SHOWN_PERCENT || rows.usage[i] >= SHOWN_PERCENT || rows.gpu[i] >= 1 || rows.await[i] >= 1 ||
        rows.copyMbS[i] >= 1 || rows.leakMbS[i] > 0;
}

/** Whether a file has anything worth a look: else it is folded. */
export const isNotableFile = (file: FileModel): boolean =>
    file.percent >= SHOWN_PERCENT || file.lines.usage.some((part) => part >= SHOWN_PERCENT) || Object.keys(file.leaks).length > 0;

const names = new WeakMap<FileModel, Map<number, string>>();

/** functionAround(), once for each function. */
export function functionName(file: FileModel, row: number): string {
    let known = names.get(file);
    if (!known) names.set(file, (known = new Map<number, string>()));
    const start = file.lines.functionStart[row];
    let name = known.get(start);
    if (name === undefined) known.set(start, (name = start ? functionAround(file, row) : ""));
    return name;
}

/** The notable lines, their neighbours, and the heads of the loops and functions around them. */
function markHot(file: FileModel, marks: Uint8Array): void {
    const { lines } = file;
    const texts = sourceLines(file);
    for (let i = 0; i < lines.n; i++) {
        if (!isNotable(lines, i)) continue;
        marks[i] = 1;
        for (const start of [lines.functionStart[i], lines.loopStart[i], lines.regionStart[i]]) {
            const head = start ? rowOfLine(lines, start) : -1;
            if (head >= 0) marks[head] = 1;
        }
        if (i > 0 && texts[i - 1]) marks[i - 1] = 1;
        if (i + 1 < lines.n && texts[i + 1]) marks[i + 1] = 1;
    }
    // A gap of one line would take as much room as the line.
    for (let i = 1; i + 1 < lines.n; i++) if (marks[i - 1] === 1 && marks[i + 1] === 1 && !marks[i]) marks[i] = 2;
}

/** All lines of the functions in which anything was measured, and what was measured outside. */
function markFunctions({ lines }: FileModel, marks: Uint8Array): void {
    const active = new Set<number>();
    for (let i = 0; i < lines.n; i++) if (lines.isActive[i]) active.add(lines.functionStart[i]);
    for (let i = 0; i < lines.n; i++)
        marks[i] = lines.isActive[i] || (lines.functionStart[i] && active.has(lines.functionStart[i])) ? 1 : 0;
}

function mark(file: FileModel, mode: Mode): Uint8Array {
    const marks = new Uint8Array(file.lines.n);
    if (mode === "hot") markHot(file, marks);
    else if (mode === "functions") markFunctions(file, marks);
    else if (mode === "all") marks.fill(1);
    else file.lines.isActive.forEach((isActive, i) => (marks[i] = isActive));
    return marks;
}

export const wordsOf = (q: string): string[] => q.toLowerCase().split(/\s+/).filter(Boolean);

/** Lines whose code has all the words; and, of those the mode shows, lines in a file or function so named. */
function filterMarks(file: FileModel, marks: Uint8Array, words: string[]): void {
    const texts = sourceLines(file);
    const path = file.shortPath.toLowerCase();
    for (let i = 0; i < marks.length; i++) {
        const code = (texts[i] ?? "").toLowerCase();
        const isInCode = words.every((word) => code.includes(word));
        const around = isInCode ? "" : `${path} ${functionName(file, i).toLowerCase()} ${code}`;
        marks[i] = isInCode || (marks[i] && words.every((word) => around.includes(word))) ? 1 : 0;
    }
}

function bySort(rows: Rows, shown: number[], sort: NonNullable<Wish["sort"]>): number[] {
    const column = rows[sort.column];
    const sign = sort.isUp ? 1 : -1;
    return shown.sort((a, b) => sign * (column[a] - column[b]) || rows.lineno[a] - rows.lineno[b]);
}

function rowItems(file: FileModel, row: number, wish: Wish): Item[] {
    const key = `${file.path}:${row}`;
    const isOpen = wish.at?.file === file && wish.at.line === file.lines.lineno[row];
    const item: Item = { kind: "row", key, file, row };
    return isOpen ? [item, { kind: "detail", key: `${key}:detail`, file, row }] : [item];
}

function openGaps(file: FileModel, marks: Uint8Array, wish: Wish): void {
    for (let i = 0; i < marks.length; i++) {
        if (marks[i] || !wish.opened.has(`${file.path}:${i}`)) continue;
        for (let k = i; k < marks.length && !marks[k]; k++) marks[k] = 3;
    }
    const open = wish.at?.file === file ? rowOfLine(file.lines, wish.at.line) : -1;
    if (open >= 0) marks[open] ||= 1;
}

function lineItems(file: FileModel, wish: Wish): Item[] {
    const marks = mark(file, wish.mode);
    const words = wordsOf(wish.q);
    if (words.length) filterMarks(file, marks, words);
    openGaps(file, marks, wish);
    const shown = [...marks.keys()].filter((i) => marks[i]);
    if (wish.sort) return bySort(file.lines, shown.filter((i) => file.lines.isActive[i]), wish.sort).flatMap((row) => rowItems(file, row, wish));
    const items: Item[] = [];
    let next = 0;
    for (const row of shown) {
        const isGap = row > next && file.source !== "" && !words.length && wish.mode !== "lines";
        if (isGap) items.push({ kind: "gap", key: `${file.path}:${next}:gap`, file, from: next, to: row - 1 });
        items.push(...rowItems(file, row, wish));
        next = row + 1;
    }
    const isTail = next < marks.length && shown.length > 0 && !words.length && wish.mode !== "lines" && file.source !== "";
    if (isTail) items.push({ kind: "gap", key: `${file.path}:${next}:gap`, file, from: next, to: marks.length - 1 });
    return items;
}

function functionItems(file: FileModel, wish: Wish): Item[] {
    const words = wordsOf(wish.q);
    const path = file.shortPath.toLowerCase();
    const shown = file.functionNames.map((_, i) => i).filter((i) =>
        file.functions.isActive[i] && words.every((word) => path.includes(word) || file.functionNames[i].toLowerCase().includes(word)));
    const sorted = wish.sort ? bySort(file.functions, shown, wish.sort) : shown;
    return sorted.map((row) => ({ kind: "function", key: `${file.path}:f${row}`, file, row }));
}

/** The rows of one tab: for each file its head, then its lines or functions. */
export function makeItems(files: FileModel[], of: "lines" | "functions", wish: Wish): Item[] {
    const items: Item[] = [];
    for (const file of files) {
        const isOpen = wish.isOpen(file) || wish.q !== "";
        const rows = isOpen ? (of === "lines" ? lineItems(file, wish) : functionItems(file, wish)) : [];
        if (wish.q && !rows.length) continue;
        items.push({ kind: "file", key: file.path, file, isOpen }, ...rows);
        if (isOpen && !rows.length) items.push({ kind: "note", key: `${file.path}:note`, text: "Nothing of note here." });
    }
    if (!items.length) items.push({ kind: "note", key: "note", text: wish.q ? `Nothing matches “${wish.q}”.` : "No line was measured." });
    return items;
}
