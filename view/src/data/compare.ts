// SPDX-License-Identifier: Apache-2.0
// Two profiles side by side: the same function or line in both, found by file, name and text, because
// line numbers move when code changes.
import { functionName } from "./items";
import type { FileModel, Model, Rows } from "./model";
import { sourceLines } from "./outline";

/** One of the two profiles' rows; null where the other has no such place. */
export type Side = { file: FileModel; row: number; seconds: number; percent: number; allocMb: number; peakMb: number };

export type Pair = { name: string; where: string; before: Side | null; after: Side | null; changeS: number; changeMb: number };

/** Seconds of 1%: other profilers' files have no seconds of their own. */
const secondsOf = (model: Model, rows: Rows, row: number): number =>
    rows.seconds[row] || (rows.time[row] / 100) * (model.cpuS + model.idleS || model.elapsedS);

function sideOf(model: Model, file: FileModel, rows: Rows, row: number): Side {
    return { file, row, seconds: secondsOf(model, rows, row), percent: rows.time[row], allocMb: rows.allocMb[row], peakMb: rows.peakMb[row] };
}

/** The program's own file is the same in both, however it is called. */
const fileKey = (model: Model, file: FileModel): string => (file.path === model.program ? "\0program" : file.shortPath);

type Named = { key: string; name: string; where: string; side: Side };

function functionsOf(model: Model): Named[] {
    return model.files.flatMap((file) => file.functionNames.flatMap((name, row) => {
        if (!file.functions.isActive[row]) return [];
        return [{ key: `${fileKey(model, file)}\0${name}`, name, where: file.shortPath, side: sideOf(model, file, file.functions, row) }];
    }));
}

/** Equal lines of a function are told apart by their order. */
function linesOf(model: Model): Named[] {
    return model.files.flatMap((file) => {
        const texts = sourceLines(file);
        const seen = new Map<string, number>();
        const found: Named[] = [];
        for (let row = 0; row < file.lines.n; row++) {
            const text = (texts[row] ?? "").trim();
            const base = `${fileKey(model, file)}\0${functionName(file, row)}\0${text}`;
            const n = seen.get(base) ?? 0;
            seen.set(base, n + 1);
            if (file.lines.isActive[row])
                found.push({ key: `${base}\0${n}`, name: text, where: `${file.shortPath}:${file.lines.lineno[row]}`, side: sideOf(model, file, file.lines, row) });
        }
        return found;
    });
}

function pairUp(before: Named[], after: Named[]): Pair[] {
    const old = new Map(before.map((one) => [one.key, one]));
    const pairs = after.map(({ key, name, where, side }) => {
        const match = old.get(key) ?? null;
        old.delete(key);
        return makePair(name, where, match?.side ?? null, side);
    });
    for (const { name, where, side } of old.values()) pairs.push(makePair(name, where, side, null));
    return pairs.sort((a, b) => Math.abs(b.changeS) - Math.abs(a.changeS));
}

function makePair(name: string, where: string, before: Side | null, after: Side | null): Pair {
    return {
        name, where, before, after, changeS: (after?.seconds ?? 0) - (before?.seconds ?? 0),
        changeMb: (after?.allocMb ?? 0) - (before?.allocMb ?? 0),
    };
}

/** What changed from one run to another, the largest change first. */
export function compare(before: Model, after: Model, of: "functions" | "lines"): Pair[] {
    const list = of === "functions" ? functionsOf : linesOf;
    return pairUp(list(before), list(after));
}
