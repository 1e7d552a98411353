// SPDX-License-Identifier: Apache-2.0
// A line of source in colours.
import type { JSX } from "preact";
import type { FileModel } from "../data/model";
import { highlighted, LONGEST } from "../highlight";
import { codeOf } from "../data/outline";

/** A line is shown in the order its characters are stored, whatever direction they ask for. */
export function Code({ file, row }: { file: FileModel; row: number }): JSX.Element {
    if (file.source === "") return <code class="no-source">(no source)</code>;
    const isCut = codeOf(file, row).length > LONGEST;
    return (
        <code dir="ltr">
            {highlighted(file, row).map(({ text, className }) => (className ? <span class={className}>{visible(text)}</span> : visible(text)))}
            {isCut && <span class="t-com"> … {codeOf(file, row).length} characters</span>}
        </code>
    );
}

/** Characters that turn text around or are not seen, which could make code look like other code. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

export const visible = (text: string): string => text.replace(HIDDEN, (character) => `‹U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);
