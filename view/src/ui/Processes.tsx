// SPDX-License-Identifier: Apache-2.0
// The processes that were measured and their threads; one can be chosen to be seen alone.
import type { JSX } from "preact";
import { WAIT_KINDS, type Model, type ProcessModel, type ThreadModel } from "../data/model";
import { nameOf } from "../data/names";
import * as words from "../data/words";
import { go, route, whole, type Route } from "../state";

const waitWords = (waits: number[]): string =>
    WAIT_KINDS.map((kind, i) => ({ kind, s: waits[i] })).filter(({ s }) => s >= 0.0005).sort((a, b) => b.s - a.s).map(({ kind, s }) => `${kind} ${words.seconds(s)}`).join(", ");

/** A thread, or several that are told together; `id` is what the address calls them. */
type Row = { id: string; name: string; isNative: boolean; cpuS: number; samples: number; waits: number[] };

function joined(model: Model, lane: number, threads: ThreadModel[]): Row {
    const sum = (of: (thread: ThreadModel) => number): number => threads.reduce((all, thread) => all + of(thread), 0);
    const several = threads.length > 1 ? `${model.lanes[lane].name} (${words.counted(threads.length, "thread")})` : "";
    return {
        id: String(lane), name: several || nameOf(threads[0]), isNative: threads.every((thread) => thread.isNative), cpuS: sum((thread) => thread.cpuS),
        samples: sum((thread) => thread.samples), waits: WAIT_KINDS.map((_, k) => sum((thread) => thread.waits[k])),
    };
}

/** Upstream's timeline knows threads by the number that Python gives them. */
const single = (thread: ThreadModel): Row => ({ ...thread, id: thread.ident > 0 ? String(thread.ident) : "", name: nameOf(thread) });

function rowsOf(model: Model, process: ProcessModel): Row[] {
    if (!model.lanes.length) return process.threads.map(single);
    const byLane = new Map<number, ThreadModel[]>();
    for (const thread of process.threads)
        if (model.lanes[thread.lane]) byLane.set(thread.lane, byLane.get(thread.lane) ?? []).get(thread.lane)!.push(thread);
    return [...byLane].map(([lane, threads]) => joined(model, lane, threads));
}

/** Shows one of them alone, or all again; a range of time stays as it is. */
function Choose({ choice, name }: { choice: Partial<Route>; name: string }): JSX.Element | null {
    if (!whole.value?.features.timeline) return null;
    const wanted = { threads: "", process: "", ...choice };
    const isChosen = route.value.threads === wanted.threads && route.value.process === wanted.process;
    return (
        <button type="button" aria-pressed={isChosen} aria-label={`Only this: ${name}`}
                onClick={() => go(isChosen ? { threads: "", process: "" } : wanted)}>Only this</button>
    );
}

function Process({ model, process }: { model: Model; process: ProcessModel }): JSX.Element {
    return (
        <table class="plain threads">
            <caption>
                <b>Process {process.pid}</b> {process.parentPid > 0 && `of ${process.parentPid}`} <bdi class="args">{process.argv.join(" ").slice(0, 300)}</bdi>
                <br />
                {words.seconds(process.wallS)}, CPU {words.seconds(process.cpuS)}, idle {words.seconds(process.idleS)}, {words.counted(process.samples, "sample")}
                {process.version && `, CPython ${process.version}`}{" "}
                {model.processes.length > 1 && model.lanes.length > 0 && <Choose choice={{ process: String(process.pid) }} name={`process ${process.pid}`} />}
            </caption>
            <thead><tr><th scope="col">thread</th><th scope="col" class="num">CPU</th><th scope="col" class="num samples">samples</th><th scope="col">waited for</th><th scope="col"><span class="hidden">choose</span></th></tr></thead>
            <tbody>
                {rowsOf(model, process).map((row) => (
                    <tr>
                        <th scope="row"><bdi>{row.name}</bdi>{row.isNative && <small> without Python</small>}</th>
                        <td class="num">{words.seconds(row.cpuS)}</td><td class="num samples">{words.count(row.samples)}</td>
                        <td>{waitWords(row.waits)}</td>
                        <td>{row.id && <Choose choice={{ threads: row.id }} name={row.name} />}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

export function Processes(): JSX.Element {
    const model = whole.value!;
    return (
        <section class="view" aria-label="Processes and threads">
            {model.processes.map((process) => <Process key={process.pid} model={model} process={process} />)}
            {!model.features.timeline && <p class="fact">This profile does not say which stack ran when, so that its lines cannot be shown by thread.</p>}
        </section>
    );
}
