// SPDX-License-Identifier: Apache-2.0
// The processes that were measured and their threads; one can be chosen to be seen alone.
import type { JSX } from "preact";
import { WAIT_KINDS, type Model, type ProcessModel, type ThreadModel } from "../data/model";
import * as words from "../data/words";
import { go, route, whole } from "../state";

export function threadName(model: Model, ident: number): string {
    for (const process of model.processes) {
        const thread = process.threads.find((one) => one.ident === ident);
        if (thread) return nameOf(thread);
    }
    return ident === model.mainThread ? "main thread" : `thread ${ident}`;
}

const nameOf = (thread: ThreadModel): string => thread.name || (thread.isMain ? "main thread" : `thread ${thread.tid}`);

const waitWords = (waits: number[]): string =>
    WAIT_KINDS.map((kind, i) => ({ kind, s: waits[i] })).filter(({ s }) => s >= 0.0005).sort((a, b) => b.s - a.s).map(({ kind, s }) => `${kind} ${words.seconds(s)}`).join(", ");

/** A fork keeps the number Python gives to the thread: then it does not tell processes apart. */
function isAmbiguous(model: Model, process: ProcessModel): boolean {
    return process.threads.some((thread) => model.processes.some((one) => one !== process && one.threads.some((two) => two.ident === thread.ident)));
}

function Choose({ idents, name }: { idents: number[]; name: string }): JSX.Element | null {
    if (!whole.value?.features.timeline || !idents.length) return null;
    const value = idents.join(",");
    const isChosen = route.value.threads === value;
    return <button type="button" aria-pressed={isChosen} aria-label={`Only this: ${name}`} onClick={() => go({ threads: isChosen ? "" : value })}>Only this</button>;
}

function Process({ model, process }: { model: Model; process: ProcessModel }): JSX.Element {
    const idents = process.threads.map((thread) => thread.ident).filter((ident) => ident > 0);
    return (
        <table class="plain">
            <caption>
                <b>Process {process.pid}</b> {process.parentPid > 0 && `of ${process.parentPid}`} <bdi class="args">{process.argv.join(" ").slice(0, 300)}</bdi>
                <br />
                {words.seconds(process.wallS)}, CPU {words.seconds(process.cpuS)}, idle {words.seconds(process.idleS)}, {words.counted(process.samples, "sample")}
                {process.version && `, CPython ${process.version}`}{" "}
                {model.processes.length > 1 && !isAmbiguous(model, process) && <Choose idents={idents} name={`process ${process.pid}`} />}
            </caption>
            <thead><tr><th scope="col">thread</th><th scope="col" class="num">CPU</th><th scope="col" class="num">samples</th><th scope="col">waited for</th><th scope="col"><span class="hidden">choose</span></th></tr></thead>
            <tbody>
                {process.threads.map((thread) => (
                    <tr>
                        <th scope="row"><bdi>{nameOf(thread)}</bdi>{thread.isNative && <small> without Python</small>}</th>
                        <td class="num">{words.seconds(thread.cpuS)}</td><td class="num">{words.count(thread.samples)}</td>
                        <td>{waitWords(thread.waits)}</td>
                        <td>{thread.ident > 0 && <Choose idents={[thread.ident]} name={nameOf(thread)} />}</td>
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
