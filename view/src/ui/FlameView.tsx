// SPDX-License-Identifier: Apache-2.0
// The flame charts: where the time went and who allocated, by stack; and the same as a table.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { totals, type Flame } from "../data/flame";
import { wordsOf } from "../data/items";
import type { Model } from "../data/model";
import * as words from "../data/words";
import { baseName, client, findPlace, go, isSelected, route, selection, showLine } from "../state";
import { paint } from "../theme";
import { draw, matchesOf, nameOf, neighbour, nodeAt, ROW_PX, rowsOf, type Sight } from "./flame_canvas";

const MOST_PX = 640;

function weightWords(of: "time" | "memory", flame: Flame, value: number): string {
    const part = flame.total > 0 ? (100 * value) / flame.total : 0;
    const amount = of === "memory" ? words.size(value) : words.counted(Math.round(value), "sample");
    return `${part.toFixed(1)}%, ${amount}`;
}

function Inspector({ model, flame, node, of }: { model: Model; flame: Flame; node: number; of: "time" | "memory" }): JSX.Element {
    const frame = flame.frames[flame.frame[node]];
    const known = frame && findPlace(model.files, `${frame.file}:${frame.line}`);
    return (
        <p class="inspector" aria-live="polite">
            <b><bdi>{nameOf(flame, node)}</bdi></b> {weightWords(of, flame, flame.value[node])}
            {flame.self[node] > 0 && node > 0 && <> (itself {weightWords(of, flame, flame.self[node])})</>}
            {frame && <> <small><bdi>{frame.isNative ? baseName(frame.file) : `${known ? known.file.shortPath : frame.file}:${frame.line}`}</bdi></small></>}
            {known && frame && <button type="button" class="link" onClick={() => showLine(known.file, frame.line)}>show the line</button>}
        </p>
    );
}

function Chart({ model, flame, of }: { model: Model; flame: Flame; of: "time" | "memory" }): JSX.Element {
    const canvas = useRef<HTMLCanvasElement>(null);
    const scroller = useRef<HTMLDivElement>(null);
    const [zoom, setZoom] = useState(0);
    const [hover, setHover] = useState(0);
    const pointed = useRef(0); // the same at once: keys may come faster than the page is drawn
    const [size, setSize] = useState({ width: 0, scrollTop: 0 });
    const rows = useMemo(() => rowsOf(flame), [flame]);
    const matches = useMemo(() => matchesOf(flame, wordsOf(route.value.q)), [flame, route.value.q]);
    const tall = rows.length * ROW_PX;
    const height = Math.min(MOST_PX, Math.max(3 * ROW_PX, tall));
    const sight: Sight = { zoom, ...size, height };

    useLayoutEffect(() => {
        const look = (): void => scroller.current ? setSize({ width: scroller.current.clientWidth, scrollTop: scroller.current.scrollTop }) : undefined;
        const watch = new ResizeObserver(look);
        watch.observe(scroller.current!);
        return () => watch.disconnect();
    }, []);
    const pointAt = (node: number): void => { pointed.current = node; setHover(node); };
    useLayoutEffect(() => { setZoom(0); pointAt(0); }, [flame]);
    useEffect(() => {
        if (canvas.current && size.width) draw(canvas.current, flame, rows, sight, { of, hover, matches });
    }, [flame, zoom, hover, size, matches, paint.value]);

    const at = (event: MouseEvent): number => nodeAt(flame, rows, sight, event.offsetX, event.offsetY);
    const onKey = (event: KeyboardEvent): void => {
        if (event.key.startsWith("Arrow")) pointAt(neighbour(flame, rows, pointed.current, event.key));
        else if (event.key === "Enter") setZoom(pointed.current);
        else if (event.key === "Escape" && zoom !== 0) { setZoom(0); event.stopPropagation(); }
        else return;
        event.preventDefault();
    };
    const found = matches ? matches.reduce((n, is) => n + is, 0) : 0;
    return (
        <>
            <div class="flame-tools">
                <button type="button" disabled={zoom === 0} onClick={() => setZoom(Math.max(0, flame.parent[zoom]))}>Zoom out</button>
                <button type="button" disabled={zoom === 0} onClick={() => setZoom(0)}>Reset</button>
                <span class="fact" data-zoom={nameOf(flame, zoom)}>{zoom ? <>zoomed to <bdi>{nameOf(flame, zoom)}</bdi></> : "click a frame to zoom"}</span>
                {matches && <span class="fact" role="status">{words.counted(found, "frame")} found</span>}
            </div>
            <div ref={scroller} class="flame" style={{ height: `${height}px` }} onScroll={() => setSize({ ...size, scrollTop: scroller.current!.scrollTop })}>
                <div style={{ height: `${tall}px` }}>
                    <canvas
                        ref={canvas} tabIndex={0} role="application"
                        aria-label={`Flame chart of ${of === "time" ? "time" : "allocated memory"}: arrow keys move, Enter zooms, Escape zooms out. The table below has the same numbers.`}
                        style={{ width: "100%", height: `${height}px` }}
                        onMouseMove={(event) => { const node = at(event); if (node >= 0) pointAt(node); }}
                        onClick={(event) => { const node = at(event); if (node >= 0) setZoom(node); }}
                        onKeyDown={onKey}
                    />
                </div>
            </div>
            <Inspector model={model} flame={flame} node={hover} of={of} />
        </>
    );
}

const MOST_ROWS = 60;

function Totals({ model, flame, of }: { model: Model; flame: Flame; of: "time" | "memory" }): JSX.Element {
    const q = wordsOf(route.value.q);
    const all = useMemo(() => totals(flame), [flame]);
    const shown = all.filter(({ frame }) => q.every((word) => `${frame.name} ${frame.file}`.toLowerCase().includes(word)));
    const percent = (value: number): string => words.share((100 * value) / (flame.total || 1));
    return (
        <table class="plain">
            <caption>{of === "time" ? "What each function cost" : "What each function allocated"}, itself and with all it called</caption>
            <thead><tr><th scope="col" class="num">itself</th><th scope="col" class="num">total</th><th scope="col">function</th><th scope="col">where</th></tr></thead>
            <tbody>
                {shown.slice(0, MOST_ROWS).map(({ frame, self, total }) => {
                    const known = findPlace(model.files, `${frame.file}:${frame.line}`);
                    return (
                        <tr>
                            <td class="num">{percent(self)}</td><td class="num">{percent(total)}</td>
                            <td>{known ? <button type="button" class="link" onClick={() => showLine(known.file, frame.line)}><bdi>{frame.name}</bdi></button> : <bdi>{frame.name}</bdi>}{frame.isNative && <small> native</small>}</td>
                            <td><bdi>{known ? known.file.shortPath : baseName(frame.file)}{flame.byLine && frame.line > 0 && `:${frame.line}`}</bdi></td>
                        </tr>
                    );
                })}
            </tbody>
            {shown.length > MOST_ROWS && <tfoot><tr><td colSpan={4}>and {words.count(shown.length - MOST_ROWS)} smaller ones</td></tr></tfoot>}
        </table>
    );
}

export function FlameView({ model }: { model: Model }): JSX.Element {
    const { flame: wanted, by } = route.value;
    const of = wanted === "memory" && model.hasMemoryStacks ? "memory" : model.hasStacks ? "time" : "memory";
    const [flame, setFlame] = useState<Flame | null>(null);
    useEffect(() => {
        let isGone = false;
        void client.ask("flame", { of, byLine: by === "line", selection: selection.value }).then((answer) => { if (!isGone) setFlame(answer); });
        return () => { isGone = true; };
    }, [of, by, selection.value, model]);
    return (
        <section class="view" aria-label="Flame chart">
            <div class="choices">
                {model.hasStacks && model.hasMemoryStacks && (
                    <div role="group" aria-label="Of what">
                        <button type="button" aria-pressed={of === "time"} onClick={() => go({ flame: "time" })}>Time</button>
                        <button type="button" aria-pressed={of === "memory"} onClick={() => go({ flame: "memory" })}>Memory</button>
                    </div>
                )}
                <div role="group" aria-label="Frames">
                    <button type="button" aria-pressed={by === "function"} onClick={() => go({ by: "function" })}>by function</button>
                    <button type="button" aria-pressed={by === "line"} onClick={() => go({ by: "line" })}>by line</button>
                </div>
            </div>
            {of === "memory" && isSelected.value && <p class="fact">Memory is known of the whole run only.</p>}
            {flame && flame.total > 0 ? <><Chart model={model} flame={flame} of={of} /><Totals model={model} flame={flame} of={of} /></> : <p class="fact">{flame ? "There are no stacks." : "…"}</p>}
        </section>
    );
}
