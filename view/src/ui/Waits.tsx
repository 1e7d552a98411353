// SPDX-License-Identifier: Apache-2.0
// What threads waited for, on which lines, and who held the interpreter's lock meanwhile.
import type { JSX } from "preact";
import { WAIT_KINDS, WAIT_WORDS, type FileModel, type Model, type Place } from "../data/model";
import { codeOf } from "../data/outline";
import * as words from "../data/words";
import { baseName, findPlace, isSelected, selection, showLine } from "../state";

const MOST = 30;

export function PlaceLink({ model, place }: { model: Model; place: Place | null }): JSX.Element {
    if (!place) return <>code elsewhere</>;
    const known = findPlace(model.files, `${place.file}:${place.line}`);
    if (!known) return <bdi>{baseName(place.file)}:{place.line}</bdi>;
    return <button type="button" class="link" onClick={() => showLine(known.file, place.line)}><bdi>{known.file.shortPath}:{place.line}</bdi></button>;
}

function Kinds({ model }: { model: Model }): JSX.Element {
    const kinds = WAIT_KINDS.map((kind, i) => ({ kind, s: model.waits[i] })).filter(({ s }) => s > 0).sort((a, b) => b.s - a.s);
    const most = kinds[0]?.s ?? 1;
    return (
        <table class="plain">
            <caption>{isSelected.value ? "What is chosen" : "All threads together"}, apart from the 100%</caption>
            <tbody>
                {kinds.map(({ kind, s }) => (
                    <tr>
                        <th scope="row">{kind}</th><td class="num">{words.seconds(s)}</td>
                        <td class="bar-cell"><span class="bar" aria-hidden="true"><i class="native" style={{ width: `${(100 * s) / most}%` }} /></span></td>
                        <td>{WAIT_WORDS[kind]}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Lines({ model }: { model: Model }): JSX.Element | null {
    const all: { file: FileModel; row: number; s: number }[] = [];
    for (const file of model.files) file.lines.waitS.forEach((s, row) => { if (s > 0) all.push({ file, row, s }); });
    const shown = all.sort((a, b) => b.s - a.s).slice(0, MOST);
    if (!shown.length) return null;
    return (
        <table class="plain">
            <caption>Lines on which threads waited longest</caption>
            <thead><tr><th scope="col" class="num">waited</th><th scope="col">for</th><th scope="col">line</th><th scope="col">code</th></tr></thead>
            <tbody>
                {shown.map(({ file, row, s }) => (
                    <tr>
                        <td class="num">{words.seconds(s)}</td>
                        <td>{WAIT_KINDS.map((kind, k) => ({ kind, s: file.lines.waits[row * WAIT_KINDS.length + k] })).filter((one) => one.s > 0.05 * s).sort((a, b) => b.s - a.s).map((one) => one.kind).join(", ")}</td>
                        <td><PlaceLink model={model} place={{ file: file.path, line: file.lines.lineno[row] }} /></td>
                        <td><code dir="ltr">{codeOf(file, row).trim().slice(0, 120)}</code></td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Gil({ model }: { model: Model }): JSX.Element | null {
    const pairs = model.gil.filter((pair) => !pair.isOther).slice(0, MOST);
    if (!pairs.length) return null;
    return (
        <table class="plain">
            <caption>The interpreter's lock (GIL): who waited while who held it</caption>
            <thead><tr><th scope="col" class="num">waited</th><th scope="col">on line</th><th scope="col">held by</th></tr></thead>
            <tbody>
                {pairs.map((pair) => (
                    <tr><td class="num">{words.seconds(pair.seconds)}</td><td><PlaceLink model={model} place={pair.waiter} /></td><td><PlaceLink model={model} place={pair.holder} /></td></tr>
                ))}
            </tbody>
        </table>
    );
}

export function Waits({ model }: { model: Model }): JSX.Element {
    const { fromS, toS } = selection.value;
    if (isSelected.value && (fromS !== null || toS !== null))
        return <section class="view" aria-label="Waits"><p class="fact">Waits are known of the whole run only, not of a part of it.</p></section>;
    return (
        <section class="view" aria-label="Waits">
            <Kinds model={model} />
            <Gil model={model} />
            <Lines model={model} />
        </section>
    );
}
