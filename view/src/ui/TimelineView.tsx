// SPDX-License-Identifier: Apache-2.0
// What happened when: memory over the run, and a lane for each thread. A range of it can be chosen,
// and everything else then shows that range alone.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Answers } from "../data/engine";
import type { Model } from "../data/model";
import { laneLabel, laneName, threadName } from "../data/names";
import { chosenLanes, KINDS } from "../data/parts";
import type { Slices } from "../data/slices";
import * as words from "../data/words";
import { baseName, client, go, route, selection, whole } from "../state";
import { Lanes } from "./Lanes";
import { MemoryChart } from "./MemoryChart";
import { drawRuns, drawSlices, innermost, runAt, type Runs } from "./timeline_canvas";

const MOST_LANES = 64;

/** The threads of upstream's timeline that ran most. */
function lanesOf(runs: Runs, chosen: number[] | null): number[] {
    const counts = new Float64Array(runs.threads.length);
    runs.thread.forEach((thread, i) => (counts[thread] += runs.count[i]));
    return [...counts.keys()].filter((i) => !chosen || chosen.includes(runs.threads[i])).sort((a, b) => counts[b] - counts[a]).slice(0, MOST_LANES);
}

function runWords(runs: Runs, run: number): string {
    if (run < 0) return "";
    const { leaf, python } = innermost(runs.frames, runs.stack[run]);
    const where = python ? ` in ${python.name}:${python.line}` : "";
    return `${words.seconds(runs.startS[run])}: ${leaf?.name ?? "?"}${leaf === python ? (python ? `:${python.line}` : "") : where}`;
}

function RunLanes({ model, runs }: { model: Model; runs: Runs }): JSX.Element {
    const lengthS = Math.max(runs.lengthS, model.elapsedS);
    const lanes = lanesOf(runs, selection.value.threads);
    return (
        <Lanes names={lanes.map((lane) => threadName(model, runs.threads[lane]))} lengthS={lengthS}
               draw={(ink, width) => drawRuns(ink, runs, lanes, width / (lengthS || 1))}
               wordsAt={(lane, seconds) => runWords(runs, runAt(runs, lanes[lane], seconds))} />
    );
}

/** "1.20 s, worker: Python 80%, idle 10%; most of it solver.py:22" */
function sliceWords(model: Model, slices: Slices, row: number, seconds: number): string {
    const slice = Math.min(slices.slices - 1, Math.floor(seconds / slices.sliceS));
    if (row < 0 || row >= slices.lanes.length || slice < 0) return "";
    const at = row * slices.slices + slice;
    const parts = KINDS.map((kind, k) => ({ kind, s: slices.s[at * KINDS.length + k] })).filter(({ s }) => s > 0)
        .map(({ kind, s }) => `${kind === "python" ? "Python" : kind} ${words.share((100 * s) / slices.sliceS)}`);
    const place = slices.places[slices.dearest[at]];
    const where = place ? `; most of it ${model.files.find((file) => file.path === place.path)?.shortPath ?? baseName(place.path)}:${place.line}` : "";
    return `${words.seconds(slice * slices.sliceS)}, ${laneName(model, slices.lanes[row])}: ${parts.join(", ") || "nothing"}${where}`;
}

function SliceLanes({ model, slices }: { model: Model; slices: Slices }): JSX.Element {
    const lengthS = Math.max(slices.lengthS, model.elapsedS);
    const isChosen = chosenLanes(model.lanes, selection.value, model.processes.map((process) => process.pid));
    const rows = [...slices.lanes.keys()].filter((row) => isChosen[slices.lanes[row]]);
    return (
        <>
            <Lanes names={rows.map((row) => laneLabel(model, slices.lanes[row]))} lengthS={lengthS}
                   draw={(ink, width) => drawSlices(ink, slices, rows, width / (lengthS || 1))}
                   wordsAt={(lane, seconds) => sliceWords(model, slices, rows[lane] ?? -1, seconds)} />
            <ul class="legend">
                {KINDS.map((kind) => <li><i class={`swatch ${kind}`} aria-hidden="true" />{kind === "python" ? "Python" : kind}</li>)}
                <li>a lane is full where its thread ran all the time</li>
            </ul>
        </>
    );
}

/** Lanes and memory have one scale. */
const lengthOf = (model: Model, drawn: Answers["timeline"]): number =>
    Math.max(model.elapsedS, "slices" in drawn ? drawn.slices.lengthS : drawn.runs.lengthS);

export function TimelineView(): JSX.Element {
    const [drawn, setDrawn] = useState<Answers["timeline"] | null>(null);
    const model = whole.value!;
    const { memory, features } = model;
    useEffect(() => {
        if (features.timeline) void client.ask("timeline", {}).then(setDrawn);
    }, [model]);
    const { from, to } = route.value;
    return (
        <section class={`view ${drawn ? "with-lanes" : ""}`} aria-label="Timeline">
            <MemoryChart
                curves={[{ points: memory.resident, className: "resident", label: "resident (RSS)" }, { points: memory.heap, className: "heap", label: "allocated and live" }]}
                runS={drawn ? lengthOf(model, drawn) : model.elapsedS} height={120} peak={memory.isOwn ? { s: memory.peakS, mb: memory.peakMb } : undefined} label="Memory over time"
            />
            {drawn && ("slices" in drawn ? <SliceLanes model={model} slices={drawn.slices} /> : <RunLanes model={model} runs={drawn.runs} />)}
            {(from || to) && <p><button type="button" onClick={() => go({ from: "", to: "" })}>Show the whole run</button></p>}
            {!features.timeline && <p class="fact">This profile does not say which stack ran when.{memory.heap.length < 4 && " It has no memory over time either: scalene run --memory measures it."}</p>}
        </section>
    );
}
