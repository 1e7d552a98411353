// SPDX-License-Identifier: Apache-2.0
// Gives the proposals of src/ai a place, the code, and what was measured.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { mountProposals, type Facts, type LineOrRegion } from "../ai/index";
import type { FileModel, Model } from "../data/model";
import { sourceLines } from "../data/outline";
import { sumRegion, type Rows } from "./Region";

const LINES_BEFORE = 9;
/** A longer region is no question about one thing. */
const LONGEST_REGION = 50;

type Props = { model: Model; file: FileModel; row: number; region: Rows | null };

function factsOf(file: FileModel, row: number, region: Rows | null): Facts {
    const { lines } = file;
    const sums = region ? sumRegion(file, region) : null;
    return {
        python: sums?.python ?? lines.python[row], native: sums?.native ?? lines.native[row], system: sums?.system ?? lines.system[row],
        coreUtilization: lines.cores[row], peakMb: lines.peakMb[row], allocMb: sums?.allocMb ?? lines.allocMb[row],
        liveMb: lines.liveMb[row], pythonFraction: lines.pythonFraction[row], copyMbS: sums?.copyMbS ?? lines.copyMbS[row],
        gpuPercent: sums?.gpu ?? lines.gpu[row], leakMbS: lines.leakMbS[row],
    };
}

function contextOf(file: FileModel, row: number, region: Rows | null): LineOrRegion {
    const { first, last } = region ?? { first: row, last: row };
    const texts = sourceLines(file);
    return {
        kind: region ? "region" : "line", path: file.path, firstLine: file.lines.lineno[first], lastLine: file.lines.lineno[last],
        code: texts.slice(first, last + 1).join("\n"), before: texts.slice(Math.max(0, first - LINES_BEFORE), first).join("\n"),
        imports: file.imports, facts: factsOf(file, row, region),
    };
}

export function Proposals({ model, file, row, region }: Props): JSX.Element | null {
    const host = useRef<HTMLDivElement>(null);
    const [isRegion, setRegion] = useState(false);
    const wide = region && region.last - region.first < LONGEST_REGION ? region : null;
    useEffect(() => {
        if (!host.current) return;
        const inner = document.createElement("div");
        host.current.replaceChildren(inner);
        return mountProposals(inner, contextOf(file, row, isRegion ? wide : null), {
            program: model.program, pythonVersion: model.version, elapsedS: model.elapsedS, cpus: model.cpus,
            hasGpu: model.features.gpu, peakMb: model.memory.peakMb,
        });
    }, [file, row, isRegion]);
    if (file.source === "") return null;
    return (
        <section class="proposals" aria-label="Proposals">
            {wide && (
                <label class="region-choice"><input type="checkbox" checked={isRegion} onChange={(event) => setRegion(event.currentTarget.checked)} /> the whole region, not the line alone</label>
            )}
            <div ref={host} />
        </section>
    );
}
