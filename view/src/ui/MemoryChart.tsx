// SPDX-License-Identifier: Apache-2.0
// Memory over time as a line, with its peak marked: of the program, or of one line of it.
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import * as words from "../data/words";

type Curve = { points: Float64Array; className: string; label: string };
type Props = { curves: Curve[]; runS: number; peak?: { s: number; mb: number } | undefined; height: number; label: string };

/** Room for the words above the peak and the axis below. */
const TOP = 16;
const BOTTOM = 16;

function pathOf(points: Float64Array, x: (ns: number) => number, y: (mb: number) => number, endNs: number): string {
    let d = "";
    for (let i = 0; i < points.length; i += 2) d += `${i ? "L" : "M"}${x(points[i]).toFixed(1)},${y(points[i + 1]).toFixed(1)}`;
    // Nothing is known to have changed after the last point.
    return points.length ? `${d}L${x(endNs).toFixed(1)},${y(points[points.length - 1]).toFixed(1)}` : d;
}

const largest = (points: Float64Array): number => points.reduce((most, value, i) => (i % 2 ? Math.max(most, value) : most), 0);

/** The width of an element in pixels: text must not be stretched with the picture. */
function useWidth(host: { current: HTMLElement | null }): number {
    const [width, setWidth] = useState(400);
    useLayoutEffect(() => {
        if (!host.current) return;
        const watch = new ResizeObserver(() => host.current && setWidth(Math.max(120, host.current.clientWidth)));
        watch.observe(host.current);
        return () => watch.disconnect();
    }, []);
    return width;
}

export function MemoryChart({ curves, runS, peak, height, label }: Props): JSX.Element | null {
    const host = useRef<HTMLElement>(null);
    const width = useWidth(host);
    const drawn = curves.filter((curve) => curve.points.length >= 4);
    const endNs = Math.max(runS * 1e9, ...drawn.map((curve) => curve.points[curve.points.length - 2]));
    const most = Math.max(peak?.mb ?? 0, ...drawn.map((curve) => largest(curve.points)));
    if (!drawn.length || !(most > 0) || !(endNs > 0)) return null;
    const x = (ns: number): number => (width * ns) / endNs;
    const y = (mb: number): number => height - BOTTOM - ((height - TOP - BOTTOM) * mb) / most;
    const peakX = peak ? x(peak.s * 1e9) : 0;
    const anchor = peakX > width * 0.75 ? "end" : peakX < width * 0.25 ? "start" : "middle";
    return (
        <figure ref={host} class="memory-chart">
            <svg width={width} height={height} role="img" aria-label={label}>
                <line class="axis" x1="0" x2={width} y1={y(0)} y2={y(0)} />
                {drawn.map((curve) => (
                    <g class={curve.className}>
                        <path class="area" d={`${pathOf(curve.points, x, y, endNs)}L${width},${y(0)}L${x(curve.points[0])},${y(0)}Z`} />
                        <path class="line" d={pathOf(curve.points, x, y, endNs)} />
                    </g>
                ))}
                {peak && (
                    <g class="peak">
                        <circle cx={peakX} cy={y(peak.mb)} r="3" />
                        <text x={Math.min(width - 2, Math.max(2, peakX))} y={y(peak.mb) - 5} text-anchor={anchor}>{words.size(peak.mb)}</text>
                    </g>
                )}
                <text class="tick" x="0" y={height - 3}>0 s</text>
                <text class="tick" x={width} y={height - 3} text-anchor="end">{words.seconds(endNs / 1e9)}</text>
            </svg>
            {drawn.length > 1 && (
                <ul class="legend">
                    {drawn.map((curve) => <li><i class={`swatch ${curve.className}`} aria-hidden="true" />{curve.label}</li>)}
                </ul>
            )}
        </figure>
    );
}
