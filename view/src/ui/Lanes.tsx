// SPDX-License-Identifier: Apache-2.0
// A lane for each thread over the run, in which a range can be chosen by mouse, finger or keyboard.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { go, selection } from "../state";
import { paint } from "../theme";
import { drawRange, LANE_PX, prepare, type Range } from "./timeline_canvas";

export type LanesProps = {
    names: string[];
    lengthS: number;
    draw: (ink: CanvasRenderingContext2D, width: number) => void;
    /** What there is to say of a lane at a moment. */
    wordsAt: (lane: number, seconds: number) => string;
};

function useWidth(canvas: { current: HTMLCanvasElement | null }): number {
    const [width, setWidth] = useState(0);
    useLayoutEffect(() => {
        const watch = new ResizeObserver(() => setWidth(canvas.current!.clientWidth));
        watch.observe(canvas.current!);
        return () => watch.disconnect();
    }, []);
    return width;
}

function choose({ fromS: a, toS: b }: Range, lengthS: number): void {
    const [from, to] = a < b ? [a, b] : [b, a];
    const isClick = to - from < lengthS / 200;
    go(isClick ? { from: "", to: "" } : { from: from.toFixed(3), to: to.toFixed(3) });
}

/** Left and right move a range, up and down make it longer or shorter; the first key makes one. */
function moved(range: Range | null, key: string, lengthS: number): Range {
    const step = ((key === "ArrowRight" || key === "ArrowUp" ? 1 : -1) * lengthS) / 20;
    const now = range ?? { fromS: 0, toS: lengthS / 10 };
    const isMove = key === "ArrowLeft" || key === "ArrowRight";
    const fromS = Math.max(0, Math.min(lengthS, now.fromS + (range && isMove ? step : 0)));
    return { fromS, toS: Math.max(fromS + lengthS / 20, Math.min(lengthS, now.toS + (range ? step : 0))) };
}

export function Lanes({ names, lengthS, draw, wordsAt }: LanesProps): JSX.Element {
    const canvas = useRef<HTMLCanvasElement>(null);
    const width = useWidth(canvas);
    const [drag, setDrag] = useState<Range | null>(null);
    const [under, setUnder] = useState("");
    const { fromS, toS } = selection.value;
    const range = drag ?? (fromS !== null || toS !== null ? { fromS: fromS ?? 0, toS: toS ?? lengthS } : null);
    const height = names.length * LANE_PX;
    useEffect(() => {
        if (!canvas.current || !width) return;
        const ink = prepare(canvas.current, width, height);
        draw(ink, width);
        if (range) drawRange(ink, range, width / (lengthS || 1), width, height);
    });
    void paint.value;
    const seconds = (event: MouseEvent): number => Math.max(0, Math.min(lengthS, (event.offsetX / width) * lengthS));
    const onMove = (event: PointerEvent): void => {
        if (drag) setDrag({ ...drag, toS: seconds(event) });
        else setUnder(wordsAt(Math.floor(event.offsetY / LANE_PX), seconds(event)));
    };
    const onKey = (event: KeyboardEvent): void => {
        if (!event.key.startsWith("Arrow")) return;
        choose(moved(range, event.key, lengthS), lengthS);
        event.preventDefault();
    };
    return (
        <>
            <div class="lanes">
                <ul>{names.map((name) => <li style={{ height: `${LANE_PX}px` }} title={name}><bdi>{name}</bdi></li>)}</ul>
                <canvas
                    ref={canvas} tabIndex={0} role="application" style={{ height: `${height}px` }}
                    aria-label="Timeline: arrow keys left and right move the chosen range, up and down make it longer or shorter, Escape shows all"
                    onPointerDown={(event) => { canvas.current!.setPointerCapture(event.pointerId); setDrag({ fromS: seconds(event), toS: seconds(event) }); }}
                    onPointerMove={onMove}
                    onPointerUp={() => { if (drag) choose(drag, lengthS); setDrag(null); }}
                    onPointerCancel={() => setDrag(null)}
                    onKeyDown={onKey}
                />
            </div>
            <p class="inspector">{under || "Drag to choose a part of the run; lines and flame charts then show it alone."}</p>
        </>
    );
}
