// SPDX-License-Identifier: Apache-2.0
// The top of the page: what ran, how long, on what; and what can be done here.
import type { JSX } from "preact";
import type { Model } from "../data/model";
import * as words from "../data/words";
import { ALL, baseName, go, load, route, trouble } from "../state";
import { setTheme, theme, type Theme } from "../theme";
import { helpIsOpen } from "./Help";

/** Asks for a file and reads it into one of the two places. */
export function pickFile(slot: "profile" | "compare"): void {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = ".json,application/json";
    input.onchange = () => void (input.files?.[0] && readFile(slot, input.files[0]));
    input.click();
}

export async function readFile(slot: "profile" | "compare", file: File): Promise<void> {
    if (!(await load(slot, await file.text(), file.name))) return;
    go(slot === "compare" ? { tab: "compare" } : { tab: "lines", at: "", ...ALL });
}

function facts(model: Model): string[] {
    const all = [words.seconds(model.elapsedS)];
    if (model.cpuS > 0 && model.elapsedS > 0) {
        const tenths = Math.round(10 * Math.min(1e6, model.cpuS / model.elapsedS));
        all.push(`${Math.floor(tenths / 10)}.${tenths % 10} cores`);
    }
    if (model.version) all.push(`CPython ${model.version.slice(0, 40)}`);
    if (model.processes.length > 1) all.push(`${words.count(model.processes.length)} processes`);
    if (model.features.samples || model.samples) all.push(words.counted(model.samples, "sample"));
    return all;
}

const THEME_NAMES: { readonly [T in Theme]: string } = { system: "Auto", dark: "Dark", light: "Light" };
const NEXT_THEME: { [T in Theme]: Theme } = { system: "dark", dark: "light", light: "system" };

export function Header({ model }: { model: Model | null }): JSX.Element {
    return (
        <header class="top">
            <h1>
                <span class="brand">scalene</span>
                {model && <span class="program"><bdi title={model.program}>{baseName(model.program) || "(no program)"}</bdi> <bdi class="args">{model.args.join(" ")}</bdi></span>}
            </h1>
            {model && <p class="facts">{facts(model).map((fact) => <span>{fact}</span>)}</p>}
            <div class="tools">
                {model && (
                    <input
                        id="search" type="search" value={route.value.q} placeholder="Search  /" aria-label="Search in files, functions and code"
                        onInput={(event) => go({ q: event.currentTarget.value })} spellcheck={false} autocomplete="off"
                    />
                )}
                {model && <button type="button" onClick={() => pickFile("compare")} title="Compare with another profile">Compare</button>}
                <button type="button" onClick={() => pickFile("profile")} title="Open another profile">Open</button>
                <button type="button" onClick={() => setTheme(NEXT_THEME[theme.value])} title="Dark, light, or as the system has it" aria-label={`Theme: ${THEME_NAMES[theme.value]}`}>
                    {THEME_NAMES[theme.value]}
                </button>
                <button type="button" onClick={() => (helpIsOpen.value = true)} aria-label="Help and keys">?</button>
            </div>
            {trouble.value && <p class="trouble" role="alert">{trouble.value}</p>}
        </header>
    );
}
