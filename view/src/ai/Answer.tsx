// SPDX-License-Identifier: Apache-2.0
// A proposal on the page: the words, the lines that go and come, and ways to take them along.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LineOrRegion } from "./context";
import { copyText } from "./copy";
import { diffLines, patchText, SIGNS } from "./diff";
import { readProposal } from "./proposal";

const NAMES = { same: "stays", gone: "goes", new: "comes" };

export function CopyButton({ label, text }: { label: string; text: string }): JSX.Element {
    const [state, setState] = useState("");
    const copy = async (): Promise<void> => {
        setState((await copyText(text)) ? "copied" : "could not be copied");
        setTimeout(() => setState(""), 2000);
    };
    return <button type="button" onClick={() => void copy()}>{state || label}</button>;
}

type Props = { context: LineOrRegion; answer: string; isDone: boolean; isCut: boolean };

export function Answer({ context, answer, isDone, isCut }: Props): JSX.Element {
    const { code, remarks } = readProposal(answer, context.code);
    const lines = code === null ? [] : diffLines(context.code, code);
    return (
        <div class="ai-answer">
            {remarks !== "" && <p class="ai-remarks">{remarks}</p>}
            {code !== null && (
                <pre class="ai-diff" tabIndex={0} aria-label="The proposed change">
                    {lines.map((line) => <span class={`ai-${line.kind}`} title={NAMES[line.kind]}>{SIGNS[line.kind]} {line.text}{"\n"}</span>)}
                </pre>
            )}
            {isCut && <p class="ai-note">The answer was cut at the provider's limit: it is not complete.</p>}
            {isDone && code !== null && (
                <div class="ai-row">
                    <CopyButton label="Copy the code" text={`${code}\n`} />
                    <CopyButton label="Copy as a patch" text={patchText(context.path, context.firstLine, lines)} />
                    <small>Not tried by anybody: check that it does the same, and measure again.</small>
                </div>
            )}
        </div>
    );
}
