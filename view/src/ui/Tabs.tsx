// SPDX-License-Identifier: Apache-2.0
// The tabs, and beside them what concerns the rows: which are shown, which columns, which threads.
import type { JSX } from "preact";
import type { Model } from "../data/model";
import { ALL, go, isSelected, MODES, other, route, selection, whole, type Mode, type Tab } from "../state";
import { laneName, threadName } from "../data/names";
import * as words from "../data/words";
import { COLUMNS, isOffered, shownColumns, wishColumn } from "./columns";
import { isWide } from "./wide";

const NAMES: { readonly [T in Tab]: string } = {
    lines: "Lines", functions: "Functions", flame: "Flame", timeline: "Timeline", waits: "Waits", processes: "Processes",
    compare: "Compare", run: "This run",
};

const MODE_NAMES: { readonly [M in Mode]: string } = {
    hot: "hot lines in context", functions: "profiled functions", lines: "profiled lines only", all: "all lines",
};

/** The tabs a profile has something for. */
export function tabsOf(model: Model): Tab[] {
    const all: [Tab, boolean][] = [
        ["lines", true], ["functions", true], ["flame", model.hasStacks || model.hasMemoryStacks], ["timeline", true],
        ["waits", model.waits.some((s) => s > 0)], ["processes", model.processes.length > 0], ["compare", other.value !== null], ["run", true],
    ];
    return all.filter(([, isThere]) => isThere).map(([tab]) => tab);
}

function Columns({ model }: { model: Model }): JSX.Element {
    const { columns } = route.value;
    const shown = new Set(shownColumns(model, columns, isWide.value));
    return (
        <details class="menu">
            <summary>Columns</summary>
            <fieldset>
                <legend class="hidden">Columns</legend>
                {COLUMNS.filter((column) => isOffered(column, model)).map((column) => (
                    <label title={column.title}>
                        <input type="checkbox" checked={shown.has(column)}
                               onChange={(event) => go({ columns: wishColumn(columns, column, event.currentTarget.checked, isWide.value) })} />
                        {column.heading || "bar"} <small>{column.title}</small>
                    </label>
                ))}
            </fieldset>
        </details>
    );
}

function chosenThreads(model: Model, threads: number[]): string {
    if (threads.length > 1) return words.counted(threads.length, "thread");
    return model.lanes.length ? laneName(model, threads[0]) : threadName(model, threads[0]);
}

/** Says that only a part of the run is shown, and takes the user back. */
function Chosen(): JSX.Element | null {
    const { threads, pid, fromS, toS } = selection.value;
    if (!isSelected.value) return null;
    const all = whole.value!;
    const parts = [
        ...(pid !== null ? [`process ${pid}`] : []), ...(threads ? [chosenThreads(all, threads)] : []),
        ...(fromS !== null || toS !== null ? [`${words.seconds(fromS ?? 0)} to ${words.seconds(toS ?? all.elapsedS)}`] : []),
    ];
    return (
        <p class="chosen" role="status">
            Only <bdi>{parts.join(", ")}</bdi> <button type="button" onClick={() => go(ALL)}>Show all</button>
        </p>
    );
}

export function Tabs({ model }: { model: Model }): JSX.Element {
    const { tab, mode } = route.value;
    const hasRows = tab === "lines" || tab === "functions";
    return (
        <nav class="tabs" aria-label="Views">
            <div class="tab-list">
                {tabsOf(whole.value ?? model).map((one) => (
                    <a href={`#tab=${one}`} aria-current={one === tab ? "page" : undefined}
                       onClick={(event) => { event.preventDefault(); go({ tab: one }); }}>{NAMES[one]}</a>
                ))}
            </div>
            <Chosen />
            {hasRows && (
                <div class="row-tools">
                    {tab === "lines" && (
                        <select id="mode" aria-label="Which lines are shown" value={mode} onChange={(event) => go({ mode: event.currentTarget.value as Mode })}>
                            {MODES.map((one) => <option value={one}>{MODE_NAMES[one]}</option>)}
                        </select>
                    )}
                    <Columns model={model} />
                </div>
            )}
        </nav>
    );
}
