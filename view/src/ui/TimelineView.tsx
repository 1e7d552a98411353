// SPDX-License-Identifier: Apache-2.0
// What happened when: memory over the run, and a lane for each thread. A range of it can be chosen,
// and everything else then shows that range alone.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Answers } from "../data/engine";
import type { Model } from "../data/model";
import * as words from "../data/words";
import { client, go, route, selection, whole } from "../state";
import { paint } from "../theme";
import { MemoryChart } from "./MemoryChart";
import { threadName } from "./Processes";
import { drawTimeline, innermost, LANE_PX, runAt, type Range } from "./timeline_canvas";

type Line = Answers["timeline"];

const MOST_LANES = 64;

/** The threads that ran most. */
function lanesOf(line: Line, chosen: number[] | null): number[] {
    const counts = new Float64Array(line.threads.length);
    line.thread.forEach((thread, i) => (counts[thread] += line.count[i]));
    return [...counts.keys()].filter((i) => !chosen || chosen.includes(line.threads[i])).sort((a, b) => counts[b] - counts[a]).slice(0, MOST_LANES);
}

function runWords(line: Line, run: number): string {
    if (run < 0) return "";
    const { leaf, python } = innermost(line.frames, line.stack[run]);
    const where = python ? ` in ${python.name}:${python.line}` : "";
    return `${words.seconds(line.startS[run])}: ${leaf?.name ?? "?"}${leaf === python ? (python ? `:${python.line}` : "") : where}`;
}

function Lanes({ line }: { line: Line }): JSX.Element {
    const canvas = useRef<HTMLCanvasElement>(null);
    const [width, setWidth] = useState(0);
    const [drag, setDrag] = useState<Range | null>(null);
    const [under, setUnder] = useState(-1);
    const lanes = lanesOf(line, selection.value.threads);
    const { fromS, toS } = selection.value;
    const range = drag ?? (fromS !== null || toS !== null ? { fromS: fromS ?? 0, toS: toS ?? line.lengthS } : null);
    useLayoutEffect(() => {
        const watch = new ResizeObserver(() => setWidth(canvas.current!.clientWidth));
        watch.observe(canvas.current!);
        return () => watch.disconnect();
    }, []);
    useEffect(() => {
        if (canvas.current && width) drawTimeline(canvas.current, line, lanes, width, range);
    });
    void paint.value;
    const seconds = (event: MouseEvent): number => Math.max(0, Math.min(line.lengthS, (event.offsetX / width) * line.lengthS));
    const choose = ({ fromS: a, toS: b }: Range): void => {
        const [from, to] = a < b ? [a, b] : [b, a];
        const isClick = to - from < line.lengthS / 200;
        go(isClick ? { from: "", to: "" } : { from: from.toFixed(3), to: to.toFixed(3) });
    };
    const onKey = (event: KeyboardEvent): void => {
        if (!event.key.startsWith("Arrow")) return;
        const step = ((event.key === "ArrowRight" || event.key === "ArrowUp" ? 1 : -1) * line.lengthS) / 20;
        const now = range ?? { fromS: 0, toS: line.lengthS / 10 };
        const isMove = event.key === "ArrowLeft" || event.key === "ArrowRight";
        const from = Math.max(0, Math.min(line.lengthS, now.fromS + (range && isMove ? step : 0)));
        choose({ fromS: from, toS: Math.max(from + line.lengthS / 20, Math.min(line.lengthS, now.toS + (range ? step : 0))) });
        event.preventDefault();
    };
    return (
        <>
            <div class="lanes">
                <ul>{lanes.map((thread) => <li style={{ height: `${LANE_PX}px` }}>{threadName(whole.value!, line.threads[thread])}</li>)}</ul>
                <canvas
                    ref={canvas} tabIndex={0} role="application" style={{ height: `${lanes.length * LANE_PX}px` }}
                    aria-label="Timeline: arrow keys left and right move the chosen range, up and down make it longer or shorter, Escape shows all"
                    onMouseDown={(event) => setDrag({ fromS: seconds(event), toS: seconds(event) })}
                    onMouseMove={(event) => { if (drag) setDrag({ ...drag, toS: seconds(event) }); else setUnder(runAt(line, lanes, width, event.offsetX, event.offsetY)); }}
                    onMouseUp={() => { if (drag) choose(drag); setDrag(null); }}
                    onKeyDown={onKey}
                />
            </div>
            <p class="inspector">{runWords(line, under) || "Drag to choose a part of the run; lines and flame charts then show it alone."}</p>
        </>
    );
}

export function TimelineView({ model }: { model: Model }): JSX.Element {
    const [line, setLine] = useState<Line | null>(null);
    const { memory, features } = whole.value ?? model;
    useEffect(() => {
        if (features.timeline) void client.ask("timeline", {}).then((answer) => setLine({ ...answer, lengthS: Math.max(answer.lengthS, model.elapsedS) }));
    }, [whole.value]);
    const { from, to } = route.value;
    return (
        <section class={`view ${line ? "with-lanes" : ""}`} aria-label="Timeline">
            <MemoryChart
                curves={[{ points: memory.resident, className: "resident", label: "resident (RSS)" }, { points: memory.heap, className: "heap", label: "allocated and live" }]}
                runS={model.elapsedS} height={120} peak={memory.isOwn ? { s: memory.peakS, mb: memory.peakMb } : undefined} label="Memory over time"
            />
            {line && <Lanes line={line} />}
            {(from || to) && <p><button type="button" onClick={() => go({ from: "", to: "" })}>Show the whole run</button></p>}
            {!features.timeline && <p class="fact">This profile does not say which stack ran when.{memory.heap.length < 4 && " It has no memory over time either: scalene run --memory measures it."}</p>}
        </section>
    );
}
