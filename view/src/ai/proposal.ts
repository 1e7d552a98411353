// SPDX-License-Identifier: Apache-2.0
// From an answer in words to code that can take the place of the old.

export type Proposal = { code: string | null; remarks: string };

/** From one fence to the next, or to the end of what there is. */
const FENCE = /^[ \t]*```([^\n`]*)\n([\s\S]*?)(?:^[ \t]*```[ \t]*\r?$|(?![\s\S]))/m;

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";

/** The indentation that all lines share, empty ones aside. */
function sharedIndent(lines: string[]): string {
    const indents = lines.filter((line) => line.trim() !== "").map(indentOf);
    let shared = indents[0] ?? "";
    for (const indent of indents) while (!indent.startsWith(shared)) shared = shared.slice(0, -1);
    return shared;
}

/** Moves code to where the old code stands: models answer at the margin as often as not. */
export function reindent(code: string, old: string): string {
    const lines = code.split("\n");
    const from = sharedIndent(lines), to = sharedIndent(old.split("\n"));
    return lines.map((line) => (line.trim() === "" ? "" : to + line.slice(from.length))).join("\n");
}

/** The first block of code in an answer, and the words around it. A block that has not ended yet counts as far as it goes. */
export function readProposal(answer: string, old: string): Proposal {
    const found = FENCE.exec(answer);
    if (!found || found[2]!.trim() === "") return { code: null, remarks: answer.trim() };
    const before = answer.slice(0, found.index), after = answer.slice(found.index + found[0].length);
    return {
        code: reindent(found[2]!.replaceAll("\r", "").replace(/\s+$/, ""), old),
        remarks: [before.trim(), after.trim()].filter((part) => part !== "").join("\n\n"),
    };
}
