// SPDX-License-Identifier: Apache-2.0
// Lines that go, lines that come, lines that stay.

export type DiffLine = { kind: "same" | "gone" | "new"; text: string };

/** How long the longest common rest is from each pair of lines on; regions are short, so a table does. */
function commonLengths(a: string[], b: string[]): number[][] {
    const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
    for (let i = a.length - 1; i >= 0; i--)
        for (let j = b.length - 1; j >= 0; j--)
            table[i]![j] = a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    return table;
}

export function diffLines(old: string, fresh: string): DiffLine[] {
    const a = old.split("\n"), b = fresh.split("\n");
    const common = commonLengths(a, b);
    const lines: DiffLine[] = [];
    let i = 0, j = 0;
    while (i < a.length || j < b.length) {
        if (i < a.length && j < b.length && a[i] === b[j]) {
            lines.push({ kind: "same", text: a[i++]! });
            j++;
        } else if (i < a.length && (j === b.length || common[i + 1]![j]! >= common[i]![j + 1]!)) {
            lines.push({ kind: "gone", text: a[i++]! });
        } else {
            lines.push({ kind: "new", text: b[j++]! });
        }
    }
    return lines;
}

export const SIGNS: Record<DiffLine["kind"], string> = { same: " ", gone: "-", new: "+" };

/** The same as a patch that `patch -p0` takes: the whole piece is one hunk. */
export function patchText(path: string, firstLine: number, lines: DiffLine[]): string {
    const count = (kind: DiffLine["kind"]): number => lines.filter((line) => line.kind !== kind).length;
    const head = `--- ${path}\n+++ ${path}\n@@ -${firstLine},${count("new")} +${firstLine},${count("gone")} @@\n`;
    return head + lines.map((line) => `${SIGNS[line.kind]}${line.text}\n`).join("");
}
