// SPDX-License-Identifier: Apache-2.0
// The source of a file by line, and the function around a line.
import { rowOfLine, type FileModel } from "./model";

const texts = new WeakMap<FileModel, string[]>();

/** The text of each row of `file.lines`. */
export function sourceLines(file: FileModel): string[] {
    let lines = texts.get(file);
    if (!lines) texts.set(file, (lines = file.source.split("\n")));
    return lines;
}

export const codeOf = (file: FileModel, row: number): string => sourceLines(file)[row] ?? "";

const HEADER = /^\s*(?:async\s+)?(def|class)\s+([^\s(:[]+)/;

/** What and who stands at the head of a function or class; decorators come before it. */
function header(file: FileModel, firstLine: number): { name: string; isFunction: boolean } | null {
    for (let line = firstLine; line < firstLine + 20; line++) {
        const row = rowOfLine(file.lines, line);
        const parts = row < 0 ? null : HEADER.exec(codeOf(file, row));
        if (parts) return { name: parts[2], isFunction: parts[1] === "def" };
    }
    return null;
}

/** The qualified name of the function or class around a line, as Python says it; "" at the top level. */
export function functionAround(file: FileModel, row: number): string {
    let qualified = "";
    let at = row;
    for (let depth = 0; at >= 0 && depth < 50; depth++) {
        const start = file.lines.functionStart[at];
        if (!start) break;
        const outer = header(file, start);
        const between = outer?.isFunction ? ".<locals>." : ".";
        if (outer) qualified = qualified ? outer.name + between + qualified : outer.name;
        at = parentRow(file, start);
    }
    return qualified;
}

/** A row of the block around a block: the nearest line above it that is indented less. */
function parentRow(file: FileModel, start: number): number {
    const first = rowOfLine(file.lines, start);
    const indent = indentOf(codeOf(file, first));
    if (first < 0 || indent === 0) return -1;
    for (let row = first - 1; row >= 0; row--) {
        const code = codeOf(file, row);
        if (code && indentOf(code) < indent && file.lines.functionStart[row] !== start) return row;
    }
    return -1;
}

const indentOf = (code: string): number => code.length - code.trimStart().length;
