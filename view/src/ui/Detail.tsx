// SPDX-License-Identifier: Apache-2.0
// All about one line, below its row.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Detail as DetailModel, Weighted } from "../data/detail";
import { leakWords } from "../data/findings";
import { isUnsure, WAIT_KINDS, WAIT_WORDS, type FileModel, type Model } from "../data/model";
import { codeOf } from "../data/outline";
import * as words from "../data/words";
import { baseName, client, findPlace, hasAddress, selection, showLine } from "../state";
import { visible } from "./Code";
import { editorLink, tellEditor } from "./editor";
import { MemoryChart } from "./MemoryChart";
import { Proposals } from "./Proposals";
import { regionAround, Region } from "./Region";

type Props = { model: Model; file: FileModel; row: number };

function Facts({ title, facts, children }: { title: string; facts: [string, string][]; children?: ComponentChildren }): JSX.Element | null {
    const shown = facts.filter(([, value]) => value);
    if (!shown.length && !children) return null;
    return (
        <section class="facts-block">
            <h3>{title}</h3>
            <dl>{shown.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
            {children}
        </section>
    );
}

function timeFacts(model: Model, { lines }: FileModel, row: number): [string, string][] {
    const off = lines.error[row];
    const range = off > 0 ? `${Math.max(0, lines.time[row] - off).toFixed(1)} to ${Math.min(100, lines.time[row] + off).toFixed(1)}%` : "";
    const one = (value: number): string => (value > 0 ? `${value.toFixed(1)}%` : "");
    return [
        ["of the time", one(lines.time[row])], ["Python", one(lines.python[row])], ["native", one(lines.native[row])],
        ["system", one(lines.system[row])], ["of it idle", one(lines.idle[row])], ["seconds", words.milliseconds(lines.seconds[row])],
        ["samples", lines.samples[row] ? words.count(lines.samples[row]) : ""], ["95% within", range],
        ["", isUnsure(model, lines, row) ? "too few samples to trust" : ""],
        ["busy CPUs", lines.cores[row] > 0 && lines.time[row] > 0 ? words.share(100 * lines.cores[row]) : ""],
    ];
}

function memoryFacts({ lines, leaks }: FileModel, row: number, detail: DetailModel | null): [string, string][] {
    const off = (mb: number | undefined): string => (mb && words.size(mb) ? ` ±${words.size(mb)}` : "");
    const allocated = words.size(lines.allocMb[row]);
    const live = words.size(lines.liveMb[row]);
    const leak = leaks[lines.lineno[row]];
    return [
        ["allocated", allocated && allocated + off(detail?.mallocErrorMb)], ["allocations", detail?.mallocs ? words.count(detail.mallocs) : ""],
        ["by Python", allocated && words.share(100 * lines.pythonFraction[row])], ["at most at once", words.size(lines.peakMb[row])],
        ["on average", words.size(lines.avgMb[row])], ["at the program's peak", words.size(lines.atPeakMb[row])],
        ["left at the end", live && live + off(detail?.liveErrorMb)], ["of all allocated", words.share(lines.usage[row])],
        ["copied", words.size(lines.copyMb[row])], ["copied per second", words.size(lines.copyMbS[row])],
        ["leaks", leak ? `${leakWords(leak).replace(/^leaks /, "")}, ${Math.round(100 * leak.likelihood)}% likely` : ""],
    ];
}

function Lifetimes({ detail }: { detail: DetailModel }): JSX.Element | null {
    const { atOnceMb, freedMb, keptMb } = detail.lifetimes;
    const all = atOnceMb + freedMb + keptMb;
    if (!(all > 0)) return null;
    const parts: [string, number][] = [["given back within a millisecond", atOnceMb], ["later", freedMb], ["never", keptMb]];
    return <p class="fact">{parts.filter(([, mb]) => mb > 0).map(([name, mb]) => `${words.share((100 * mb) / all)} ${name}`).join(", ")}</p>;
}

function Places({ title, places, all, model }: { title: string; places: Weighted[]; all: number; model: Model }): JSX.Element | null {
    if (!places.length) return null;
    return (
        <section class="facts-block wide-block">
            <h3>{title}</h3>
            <ul class="places">
                {places.map((place) => {
                    const known = findPlace(model.files, `${place.file}:${place.line}`);
                    const name = <><bdi>{place.name}</bdi> <small><bdi>{known ? known.file.shortPath : baseName(place.file)}{place.line ? `:${place.line}` : ""}</bdi></small></>;
                    return (
                        <li>
                            <b>{words.share(all > 0 ? (100 * place.weight) / all : 0)}</b>{" "}
                            {known ? <button type="button" class="link" onClick={() => showLine(known.file, place.line)}>{name}</button> : name}
                        </li>
                    );
                })}
            </ul>
        </section>
    );
}

function Stacks({ detail }: { detail: DetailModel }): JSX.Element | null {
    if (!detail.stacks.some((stack) => stack.frames.length > 1)) return null;
    return (
        <details class="stacks">
            <summary>{words.counted(detail.stacks.length, "stack")}</summary>
            <ol>
                {detail.stacks.map((stack) => (
                    <li>
                        <b>{words.share((100 * stack.weight) / detail.samplesHere)}</b>{" "}
                        {stack.frames.slice(-40).map((frame, i) => <>{i > 0 && " › "}<bdi class={frame.isNative ? "native-frame" : ""}>{frame.name}{frame.line ? `:${frame.line}` : ""}</bdi></>)}
                    </li>
                ))}
            </ol>
        </details>
    );
}

function Threads({ detail }: { detail: DetailModel }): JSX.Element | null {
    if (detail.threads.length < 2) return null;
    return <p class="fact">ran in {detail.threads.map(({ name, part }) => `${name} (${words.share(100 * part)})`).join(", ")}</p>;
}

function Actions({ file, row }: { file: FileModel; row: number }): JSX.Element {
    const line = file.lines.lineno[row];
    const [isCopied, setCopied] = useState(false);
    const copy = (): void => void navigator.clipboard.writeText(location.href).then(() => setCopied(true), () => undefined);
    return (
        <p class="actions">
            <a class="button" href={editorLink(file.path, line)} onClick={(event) => { if (tellEditor(file.path, line)) event.preventDefault(); }}>Open in editor</a>
            {hasAddress && <button type="button" onClick={copy}>{isCopied ? "Copied" : "Copy link"}</button>}
        </p>
    );
}

export function Detail({ model, file, row }: Props): JSX.Element {
    const line = file.lines.lineno[row];
    const [detail, setDetail] = useState<DetailModel | null>(null);
    useEffect(() => {
        let isGone = false;
        setDetail(null);
        void client.ask("detail", { path: file.path, line, selection: selection.value }).then((answer) => { if (!isGone) setDetail(answer); }, () => undefined);
        return () => { isGone = true; };
    }, [file.path, line, selection.value]);
    const { lines } = file;
    const waits: [string, string][] = WAIT_KINDS.map((kind, k) => {
        const s = lines.waits[row * WAIT_KINDS.length + k];
        return [`${kind}: ${WAIT_WORDS[kind]}`, s > 0 ? words.seconds(s) : ""];
    });
    const tasks = detail?.taskNames ?? [];
    const region = regionAround(file, row);
    return (
        <div class="detail">
            <pre class="full-code" tabIndex={0}><code dir="ltr">{visible(codeOf(file, row).trim()) || "(no source)"}</code></pre>
            <Actions file={file} row={row} />
            <div class="blocks">
                <Facts title="Time" facts={timeFacts(model, file, row)} />
                <Facts title="Waits of threads" facts={waits} />
                <Facts title="Memory" facts={memoryFacts(file, row, detail)}>{detail && <Lifetimes detail={detail} />}</Facts>
                <Facts title="GPU" facts={lines.gpu[row] > 0 ? [["busy", words.share(lines.gpu[row])], ["memory at most", words.size(lines.gpuMb[row])], ["on average", words.size(detail?.gpuAvgMb ?? 0)]] : []} />
                <Facts title="Await" facts={lines.await[row] > 0 ? [["of all await time", words.share(lines.await[row])], ["tasks at once", lines.concurrency[row].toFixed(1)], ["at most", detail?.concurrencyPeak ? words.count(detail.concurrencyPeak) : ""], ["tasks", tasks.slice(0, 10).join(", ") + (tasks.length > 10 ? ` and ${tasks.length - 10} more` : "")]] : []} />
                <Region model={model} file={file} region={region} />
                {detail && detail.memory.length >= 4 && (
                    <section class="facts-block chart-block">
                        <h3>Live memory of this line</h3>
                        <MemoryChart curves={[{ points: detail.memory, className: "heap", label: "live" }]} runS={model.elapsedS} height={90} label={`Live memory of line ${line} over time`} />
                    </section>
                )}
                {detail && <Places title="Native functions" places={detail.natives} all={detail.samplesHere} model={model} />}
                {detail && <Places title="Called from" places={detail.callers} all={detail.samplesHere} model={model} />}
            </div>
            {detail && <Threads detail={detail} />}
            {detail && <Stacks detail={detail} />}
            <Proposals model={model} file={file} row={row} region={region} />
        </div>
    );
}
