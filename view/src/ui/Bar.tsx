// SPDX-License-Identifier: Apache-2.0
// A bar of a row's time: Python, native, system, on the scale of the dearest row.
import type { JSX } from "preact";
import type { Rows } from "../data/model";

type Props = { rows: Rows; i: number; largest: number };

export function Bar({ rows, i, largest }: Props): JSX.Element | null {
    if (!(rows.time[i] > 0) || !(largest > 0)) return null;
    const width = (percent: number): { width: string } => ({ width: `${(100 * percent) / largest}%` });
    return (
        <span class="bar" aria-hidden="true">
            <i class="python" style={width(rows.python[i])} />
            <i class="native" style={width(rows.native[i])} />
            <i class="system" style={width(rows.system[i])} />
        </span>
    );
}

type PartsProps = { label: string; parts: { name: string; percent: number; className: string; note?: string }[] };

/** A bar of the whole width with its parts named below it. */
export function Parts({ label, parts }: PartsProps): JSX.Element {
    const shown = parts.filter((part) => part.percent > 0);
    return (
        <div class="parts">
            <div class="parts-bar" role="img" aria-label={`${label}: ${parts.map((part) => `${part.name} ${Math.round(part.percent)}%`).join(", ")}`}>
                {shown.map((part) => <i class={part.className} style={{ width: `${part.percent}%` }} />)}
            </div>
            <ul class="legend">
                {parts.map((part) => (
                    <li>
                        <i class={`swatch ${part.className}`} aria-hidden="true" />
                        {part.name} <b>{Math.round(part.percent)}%</b>
                        {part.note && <small> {part.note}</small>}
                    </li>
                ))}
            </ul>
        </div>
    );
}
