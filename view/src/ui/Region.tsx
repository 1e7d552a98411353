// SPDX-License-Identifier: Apache-2.0
// The loop, function or class around a line, and what all of it cost.
import type { JSX } from "preact";
import { rowOfLine, type FileModel, type Model } from "../data/model";
import { codeOf } from "../data/outline";
import * as words from "../data/words";
import { showLine } from "../state";

/** First and last row. */
export type Rows = { first: number; last: number };

export function regionAround(file: FileModel, row: number): Rows | null {
    const first = rowOfLine(file.lines, file.lines.regionStart[row]);
    const last = rowOfLine(file.lines, file.lines.regionEnd[row]);
    return first >= 0 && last > first ? { first, last } : null;
}

export type Sums = { time: number; python: number; native: number; system: number; allocMb: number; copyMbS: number; gpu: number };

export function sumRegion({ lines }: FileModel, { first, last }: Rows): Sums {
    const sum = (column: Float64Array): number => column.subarray(first, last + 1).reduce((a, b) => a + b, 0);
    return {
        time: sum(lines.time), python: sum(lines.python), native: sum(lines.native), system: sum(lines.system),
        allocMb: sum(lines.allocMb), copyMbS: sum(lines.copyMbS), gpu: lines.gpu.subarray(first, last + 1).reduce((a, b) => Math.max(a, b), 0),
    };
}

export function Region({ model, file, region }: { model: Model; file: FileModel; region: Rows | null }): JSX.Element | null {
    if (!region) return null;
    const sums = sumRegion(file, region);
    const line = file.lines.lineno[region.first];
    const facts: [string, string][] = [
        ["of the time", words.share(sums.time)], ["Python", words.share(sums.python)], ["native", words.share(sums.native)],
        ["system", words.share(sums.system)], ["allocated", model.features.memory ? words.size(sums.allocMb) : ""],
    ];
    return (
        <section class="facts-block">
            <h3>Around it: lines {line} to {file.lines.lineno[region.last]}</h3>
            <button type="button" class="link" onClick={() => showLine(file, line)}><code dir="ltr">{codeOf(file, region.first).trim().slice(0, 60)}</code></button>
            <dl>{facts.filter(([, value]) => value).map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
        </section>
    );
}
