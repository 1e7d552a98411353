// SPDX-License-Identifier: Apache-2.0
// The first screen: what the time and the memory went to, and where to look first.
import type { JSX } from "preact";
import { findings, isTooShort, peakHolders, type Finding } from "../data/findings";
import { LEAST_WAIT, WAIT_KINDS, type Model } from "../data/model";
import { codeOf } from "../data/outline";
import * as words from "../data/words";
import { isSelected, showLine } from "../state";
import { Parts } from "./Bar";
import { MemoryChart } from "./MemoryChart";
import { PlaceLink } from "./Waits";

function TimeCard({ model }: { model: Model }): JSX.Element {
    const waits = WAIT_KINDS.map((kind, i) => ({ kind, s: model.waits[i] }))
        .filter(({ s }) => s > 0 && s >= LEAST_WAIT * model.elapsedS).sort((a, b) => b.s - a.s);
    const idle = model.idleS > 0 ? { note: `(idle ${words.seconds(model.idleS)})` } : {};
    return (
        <section class="card" aria-labelledby="card-time">
            <h2 id="card-time">Time</h2>
            <Parts label="Time" parts={[
                { name: "Python", percent: model.python, className: "python" },
                { name: "native", percent: model.native, className: "native" },
                { name: "system", percent: model.system, className: "system", ...idle },
            ]} />
            {waits.length > 0 && (
                <p class="fact"><span>threads waited</span> {waits.map(({ kind, s }) => `${kind} ${words.seconds(s)}`).join(", ")}</p>
            )}
            <GilFact model={model} />
            {model.drops.length > 0 && <p class={isMuch(model) ? "warn" : "fact"}>not measured: {model.drops.map(({ reason, n }) => `${words.count(n)} ${reason}`).join(", ")}</p>}
            {model.gpuPercent > 0 && (
                <>
                    <h2 class="second">{model.gpuDevice || "GPU"}</h2>
                    <Parts label="GPU" parts={[{ name: "busy", percent: model.gpuPercent, className: "gpu" }]} />
                </>
            )}
        </section>
    );
}

/** Whether so much was lost that the numbers may be wrong. */
const isMuch = (model: Model): boolean => model.drops.reduce((sum, { n }) => sum + n, 0) > 0.01 * model.samples;

/** Less of the wall time than this is no bottleneck; less of all waiting is no pair worth a word. */
const LEAST_GIL = 0.05;
const LEAST_PAIR = 0.1;

/** Who waited for the interpreter's lock, when it mattered: as in src/report/gil.c. */
function GilFact({ model }: { model: Model }): JSX.Element | null {
    const waitedS = model.waits[WAIT_KINDS.indexOf("gil")];
    if (model.elapsedS <= 0 || waitedS <= LEAST_GIL * model.elapsedS) return null;
    const end = model.gil.findIndex((pair, i) => i === 3 || pair.isOther || pair.seconds < LEAST_PAIR * waitedS);
    return (
        <div class="fact">
            <span>GIL: threads waited {words.seconds(waitedS)} for it</span>
            <ul>
                {model.gil.slice(0, end < 0 ? 3 : end).map((pair) => (
                    <li><PlaceLink model={model} place={pair.waiter} /> {words.seconds(pair.seconds)}, held by <PlaceLink model={model} place={pair.holder} /></li>
                ))}
            </ul>
        </div>
    );
}

function memoryNotes(model: Model): string[] {
    const { memory } = model;
    const notes: string[] = [];
    if (memory.isOwn) notes.push(`peak ${words.size(memory.peakMb)} at ${words.seconds(memory.peakS)}`);
    else notes.push(`peak ${words.size(memory.peakMb)}`);
    if (memory.leakMbS > 0 && words.size(memory.leakMbS)) notes.push(`grows by ${words.size(memory.leakMbS)}/s`);
    else if (!memory.isOwn && memory.growthRate >= 1) notes.push(`growth rate ${Math.round(Math.min(9999, memory.growthRate))}%`);
    if (words.size(memory.residentPeakMb)) notes.push(`resident ${words.size(memory.residentPeakMb)}`);
    if (memory.nativeThreadsMb >= 1) notes.push(`${words.size(memory.nativeThreadsMb)} on no line`);
    return notes;
}

function MemoryCard({ model }: { model: Model }): JSX.Element | null {
    const { memory } = model;
    if (!(memory.peakMb > 0)) return null;
    const peakAt = memory.isOwn ? memory.peakS : timeOfLargest(memory.heap);
    return (
        <section class="card" aria-labelledby="card-memory">
            <h2 id="card-memory">Memory{isSelected.value && " of the whole run"}</h2>
            <Parts label="Memory at the peak" parts={[
                { name: "Python", percent: 100 * memory.pythonFraction, className: "mem-python" },
                { name: "native", percent: 100 - 100 * memory.pythonFraction, className: "mem-native" },
            ]} />
            <MemoryChart
                curves={[
                    { points: memory.resident, className: "resident", label: "resident (RSS)" },
                    { points: memory.heap, className: "heap", label: "allocated and live" },
                ]}
                runS={model.elapsedS} peak={{ s: peakAt, mb: memory.peakMb }} height={110}
                label={`Memory over time, largest ${words.size(memory.peakMb)} at ${words.seconds(peakAt)}`}
            />
            <p class="fact">{memoryNotes(model).join(", ")}</p>
        </section>
    );
}

function timeOfLargest(points: Float64Array): number {
    let at = 0;
    for (let i = 0; i < points.length; i += 2) if (points[i + 1] > (points[at + 1] ?? 0)) at = i;
    return (points[at] ?? 0) / 1e9;
}

function FindingRow({ found }: { found: Finding }): JSX.Element {
    const { file, row } = found;
    const line = file.lines.lineno[row];
    return (
        <li>
            <a class="finding" href={`#at=${encodeURIComponent(found.place)}`} onClick={(event) => { event.preventDefault(); showLine(file, line); }}>
                <span class="place"><b><bdi>{found.place}</bdi></b>{found.functionName && <span class="fn"><bdi>{found.functionName}</bdi></span>}</span>
                <span class="words">{found.says.map(({ kind, words: text }, i) => <>{i > 0 && "; "}<span class={kind}>{text}</span></>)}</span>
                <code>{codeOf(file, row).trim().slice(0, 200)}</code>
            </a>
        </li>
    );
}

function FindingsCard({ model }: { model: Model }): JSX.Element {
    const found = findings(model);
    const holders = peakHolders(model);
    return (
        <section class="card findings-card" aria-labelledby="card-findings">
            <h2 id="card-findings">Where to look first</h2>
            {isTooShort(model) && <p class="warn">Too few samples to say where to look first. Let the program run longer.</p>}
            {!isTooShort(model) && !found.length && <p class="fact">No line stands out.</p>}
            <ol class="findings">{found.map((one) => <FindingRow key={one.place} found={one} />)}</ol>
            {holders.length > 0 && (
                <p class="fact holders">
                    <span>at the peak of memory</span>{" "}
                    {holders.map(({ file, row, mb, percent }, i) => (
                        <>
                            {i > 0 && ", "}
                            <a href={`#at=${encodeURIComponent(`${file.shortPath}:${file.lines.lineno[row]}`)}`}
                               onClick={(event) => { event.preventDefault(); showLine(file, file.lines.lineno[row]); }}>
                                <bdi>{file.shortPath}:{file.lines.lineno[row]}</bdi>
                            </a> {words.size(mb)} ({words.share(percent)})
                        </>
                    ))}
                </p>
            )}
        </section>
    );
}

export function Summary({ model }: { model: Model }): JSX.Element {
    return (
        <div class="summary">
            <div class="cards">
                <TimeCard model={model} />
                <MemoryCard model={model} />
            </div>
            <FindingsCard model={model} />
        </div>
    );
}
