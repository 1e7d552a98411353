// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: the totals, then what changed, by function or line.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { compare, type Pair, type Side } from "../data/compare";
import { wordsOf } from "../data/items";
import type { Model } from "../data/model";
import * as words from "../data/words";
import { baseName, other, otherName, route, showLine, whole } from "../state";

const MOST = 300;

type Total = { name: string; of: (model: Model) => number; words: (value: number) => string };

const TOTALS: readonly Total[] = [
    { name: "wall time", of: (model) => model.elapsedS, words: words.seconds },
    { name: "CPU and idle time", of: (model) => model.cpuS + model.idleS, words: words.seconds },
    { name: "Python", of: (model) => (model.python / 100) * (model.cpuS + model.idleS || model.elapsedS), words: words.seconds },
    { name: "native", of: (model) => (model.native / 100) * (model.cpuS + model.idleS || model.elapsedS), words: words.seconds },
    { name: "system", of: (model) => (model.system / 100) * (model.cpuS + model.idleS || model.elapsedS), words: words.seconds },
    { name: "peak memory", of: (model) => model.memory.peakMb, words: words.size },
    { name: "allocated", of: (model) => model.memory.allocatedMb, words: words.size },
];

function Totals({ before, after }: { before: Model; after: Model }): JSX.Element {
    return (
        <table class="plain">
            <caption>In all</caption>
            <thead><tr><th scope="col"><span class="hidden">what</span></th><th scope="col" class="num">before</th><th scope="col" class="num">after</th><th scope="col" class="num">change</th></tr></thead>
            <tbody>
                {TOTALS.filter((total) => total.of(before) > 0 || total.of(after) > 0).map((total) => {
                    const [a, b] = [total.of(before), total.of(after)];
                    return (
                        <tr>
                            <th scope="row">{total.name}</th><td class="num">{total.words(a)}</td><td class="num">{total.words(b)}</td>
                            <td class={`num ${changeClass(b - a, a)}`}>{words.change(b - a, total.words)}{a > 0 && ` (${words.change((100 * (b - a)) / a, words.share)})`}</td>
                        </tr>
                    );
                })}
            </tbody>
        </table>
    );
}

/** Worse stands out; better is marked, too, and never by colour alone: the sign says it. */
const changeClass = (change: number, before: number): string =>
    Math.abs(change) < 0.01 * before ? "" : change > 0 ? "worse" : "better";

const sideWords = (side: Side | null): string => (side ? `${words.milliseconds(side.seconds)}` : "–");

function Row({ pair, hasMemory }: { pair: Pair; hasMemory: boolean }): JSX.Element {
    const { before, after, changeS, changeMb } = pair;
    const text = <code dir="ltr">{pair.name.slice(0, 120)}</code>;
    return (
        <tr>
            <td class="num">{sideWords(before)}</td><td class="num">{sideWords(after)}</td>
            <td class={`num ${changeClass(changeS, before?.seconds ?? 0)}`}>{words.change(changeS, words.milliseconds)}</td>
            {hasMemory && <td class={`num ${changeClass(changeMb, before?.allocMb ?? 0)}`}>{words.change(changeMb, words.megabytes)}</td>}
            <td><bdi>{pair.where}</bdi></td>
            <td>{after ? <button type="button" class="link" onClick={() => showLine(after.file, Number(/:(\d+)$/.exec(pair.where)?.[1] ?? after.file.functions.lineno[after.row]))}>{text}</button> : text}</td>
        </tr>
    );
}

export function CompareView(): JSX.Element {
    const [of, setOf] = useState<"functions" | "lines">("functions");
    const [before, after] = [other.value, whole.value];
    const pairs = useMemo(() => (before && after ? compare(before, after, of) : []), [before, after, of]);
    if (!before || !after) return <p class="fact">There is nothing to compare with yet: “Compare” opens another profile.</p>;
    const q = wordsOf(route.value.q);
    const shown = pairs.filter((pair) => q.every((word) => `${pair.where} ${pair.name}`.toLowerCase().includes(word)));
    const hasMemory = before.features.memory && after.features.memory;
    return (
        <section class="view" aria-label="Comparison">
            <p class="fact">before: <b><bdi>{otherName.value || baseName(before.program)}</bdi></b>, after: <b><bdi>{baseName(after.program)}</bdi></b> (this profile)</p>
            <Totals before={before} after={after} />
            <div class="choices" role="group" aria-label="Compare by">
                <button type="button" aria-pressed={of === "functions"} onClick={() => setOf("functions")}>functions</button>
                <button type="button" aria-pressed={of === "lines"} onClick={() => setOf("lines")}>lines</button>
            </div>
            <table class="plain compare">
                <caption>What changed, the largest change first; seconds{hasMemory && ", and memory allocated"}</caption>
                <thead><tr>
                    <th scope="col" class="num">before</th><th scope="col" class="num">after</th><th scope="col" class="num">change</th>
                    {hasMemory && <th scope="col" class="num">memory</th>}<th scope="col">where</th><th scope="col">{of === "functions" ? "function" : "code"}</th>
                </tr></thead>
                <tbody>{shown.slice(0, MOST).map((pair) => <Row pair={pair} hasMemory={hasMemory} />)}</tbody>
            </table>
            {shown.length > MOST && <p class="fact">and {words.count(shown.length - MOST)} smaller changes</p>}
        </section>
    );
}
