// SPDX-License-Identifier: Apache-2.0
// Colours of Python code, from Lezer's grammar. A file is parsed when one of its lines is first shown:
// whole if it is small, else in pieces that begin at the top level.
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { parser } from "@lezer/python";
import type { FileModel } from "./data/model";
import { sourceLines } from "./data/outline";

export type Span = { text: string; className: string };

const PIECE_LINES = 1500;
/** Of a longer line only so much is shown in a table, and coloured. */
export const LONGEST = 400;

const highlighter = tagHighlighter([
    { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], class: "t-key" },
    { tag: [tags.string, tags.special(tags.string)], class: "t-str" },
    { tag: [tags.comment, tags.lineComment], class: "t-com" },
    { tag: [tags.number, tags.bool, tags.null], class: "t-num" },
    { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], class: "t-def" },
    { tag: tags.meta, class: "t-com" },
]);

/** For each line of a piece its spans; lines without any are plain. */
type Piece = { firstRow: number; spans: Span[][] };

const pieces = new WeakMap<FileModel, Map<number, Piece>>();

/** Where the piece of a row begins: at a line that nothing above reaches into, as far as one sees. */
function firstRowOf(lines: string[], row: number): number {
    if (lines.length <= 2 * PIECE_LINES) return 0;
    let first = Math.floor(row / PIECE_LINES) * PIECE_LINES;
    while (first > 0 && !/^(?:def|class|async|import|from|@)/.test(lines[first])) first--;
    return first;
}

type Token = { from: number; to: number; className: string };

/** The parts of one line: the tokens that reach into it, and what lies between them. */
function lineSpans(text: string, start: number, end: number, tokens: Token[], first: number): Span[] {
    const spans: Span[] = [];
    let at = start;
    for (let i = first; i < tokens.length && tokens[i].from < end; i++) {
        const from = Math.max(start, tokens[i].from);
        const to = Math.min(end, tokens[i].to);
        if (from > at) spans.push({ text: text.slice(at, from), className: "" });
        if (to > from) spans.push({ text: text.slice(from, to), className: tokens[i].className });
        at = Math.max(at, to);
    }
    if (at < end) spans.push({ text: text.slice(at, end), className: "" });
    return spans;
}

function parsePiece(lines: string[], firstRow: number): Piece {
    const end = lines.length <= 2 * PIECE_LINES ? lines.length : firstRow + 2 * PIECE_LINES;
    const shown = lines.slice(firstRow, end).map((line) => line.slice(0, LONGEST));
    const text = shown.join("\n");
    const tokens: Token[] = [];
    highlightTree(parser.parse(text), highlighter, (from, to, className) => tokens.push({ from, to, className }));
    let [start, token] = [0, 0];
    const spans = shown.map((line) => {
        while (token < tokens.length && tokens[token].to <= start) token++;
        const one = lineSpans(text, start, start + line.length, tokens, token);
        start += line.length + 1;
        return one;
    });
    return { firstRow, spans };
}

/** The coloured text of a row, cut at LONGEST. */
export function highlighted(file: FileModel, row: number): Span[] {
    const lines = sourceLines(file);
    const firstRow = firstRowOf(lines, row);
    let known = pieces.get(file);
    if (!known) pieces.set(file, (known = new Map<number, Piece>()));
    let piece = known.get(firstRow);
    if (!piece) known.set(firstRow, (piece = parsePiece(lines, firstRow)));
    return piece.spans[row - firstRow] ?? [{ text: (lines[row] ?? "").slice(0, LONGEST), className: "" }];
}
