// SPDX-License-Identifier: Apache-2.0
// The lines or functions of all files, with their numbers beside the code.
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { leakWords } from "../data/findings";
import { isNotableFile, makeItems, type Item } from "../data/items";
import { isUnsure, type FileModel, type Model, type NumberName, type Rows } from "../data/model";
import * as words from "../data/words";
import { findPlace, go, placeOf, route, showLine } from "../state";
import { Code } from "./Code";
import { COLUMNS, lineWidth, shownColumns, type Column } from "./columns";
import { Detail } from "./Detail";
import { VirtualList } from "./VirtualList";
import { isWide } from "./wide";

/** Files the user has folded or unfolded himself, and gaps he has opened. */
const folds = signal<ReadonlyMap<string, boolean>>(new Map());
const opened = signal<ReadonlySet<string>>(new Set());

export function resetFolds(): void {
    folds.value = new Map();
    opened.value = new Set();
}

const HEIGHTS: { readonly [K in Item["kind"]]: number } = { file: 52, row: 24, function: 24, gap: 20, detail: 420, note: 32 };

const HOT_PERCENT = 33;

function foldAll(files: FileModel[], isOpen: boolean): void {
    folds.value = new Map(files.map((file) => [file.path, isOpen]));
}

const sort = computed<{ column: NumberName; isUp: boolean } | null>(() => {
    const id = route.value.sort.replace(/^-/, "");
    const column = COLUMNS.find((one) => one.id === id);
    return column ? { column: column.sort, isUp: route.value.sort.startsWith("-") } : null;
});

function Heading({ column }: { column: Column }): JSX.Element {
    const current = route.value.sort.replace(/^-/, "") === column.id;
    const isUp = current && route.value.sort.startsWith("-");
    const next = current && !isUp ? `-${column.id}` : column.id;
    return (
        <span role="columnheader" class={column.align === "left" ? "left" : ""} aria-sort={current ? (isUp ? "ascending" : "descending") : "none"}>
            <button type="button" title={`${column.title}: sort`} aria-label={`${column.heading || "bar"}: ${column.title}`} onClick={() => go({ sort: next })}>
                {column.heading}{current && <i aria-hidden="true">{isUp ? "▴" : "▾"}</i>}
            </button>
        </span>
    );
}

function Head({ columns, last, files }: { columns: Column[]; last: string; files: FileModel[] }): JSX.Element {
    return (
        <div class="head grid" role="row">
            {columns.map((column) => <Heading column={column} />)}
            <span role="columnheader" aria-sort={route.value.sort ? "none" : "ascending"}>
                <button type="button" title="In the order of the file" onClick={() => go({ sort: "" })}>line</button>
            </span>
            <span role="columnheader" class="left head-code">
                {last}
                {files.length > 1 && (
                    <span class="folds">
                        <button type="button" onClick={() => foldAll(files, true)}>open all</button>
                        <button type="button" onClick={() => foldAll(files, false)}>close all</button>
                    </span>
                )}
            </span>
        </div>
    );
}

function FileRow({ model, item, n }: { model: Model; item: Extract<Item, { kind: "file" }>; n: number }): JSX.Element {
    const { file, isOpen } = item;
    const all = model.cpuS + model.idleS;
    const seconds = all > 0 ? `, ${words.seconds((all * file.percent) / 100)}` : "";
    const peak = file.lines.peakMb.reduce((a, b) => Math.max(a, b), 0);
    const toggle = (): void => {
        folds.value = new Map([...folds.value, [file.path, !isOpen]]);
    };
    return (
        <div class="file" role="row">
            <span role="cell" aria-colspan={n}>
                <button type="button" class="fold" aria-expanded={isOpen} onClick={toggle} title={file.path}>
                    <i aria-hidden="true">{isOpen ? "▾" : "▸"}</i><bdi>{file.shortPath}</bdi>
                </button>
                <span class="file-facts">
                    {words.share(file.percent) || "0%"} of the time{seconds}
                    {peak > 0 && `, largest line ${words.size(peak)}`}
                </span>
            </span>
        </div>
    );
}

/** How warm the edge of the code is: by the root, so that small shares can still be told apart. */
const warmth = (rows: Rows, i: number, largest: number): string => (largest > 0 ? Math.sqrt(rows.time[i] / largest).toFixed(2) : "0");

type RowProps = { model: Model; columns: Column[]; file: FileModel; row: number; rows: Rows; isFunction: boolean };

/** What stands out: the time of a line that takes much of it, the bytes of one that asks for many. */
function rowClass(model: Model, rows: Rows, i: number): string {
    if (isUnsure(model, rows, i)) return "unsure";
    const isHot = rows.time[i] + rows.gpu[i] >= HOT_PERCENT;
    return `${isHot ? "hot" : ""} ${rows.usage[i] >= HOT_PERCENT ? "greedy" : ""}`;
}

function Row({ model, columns, file, row, rows, isFunction }: RowProps): JSX.Element {
    const line = rows.lineno[row];
    const at = placeOf(file, line);
    const isOpen = !isFunction && route.value.at === at;
    const open = (): void => (isFunction ? showLine(file, line) : go({ at: isOpen ? "" : at }));
    const leak = !isFunction && file.leaks[line];
    return (
        <div class={`row grid ${rowClass(model, rows, row)} ${isOpen ? "open" : ""} ${rows.isActive[row] ? "" : "quiet"}`} role="row"
             onClick={(event) => { if (!(event.target as Element).closest("button,a") && !String(getSelection())) open(); }}>
            {columns.map((column) => (
                <span role="cell" class={`c-${column.id} ${column.align ?? ""}`}>{column.cell({ model, file, rows, i: row })}</span>
            ))}
            <span role="cell" class="c-line">
                <button type="button" class="line" data-place={at} aria-expanded={isFunction ? undefined : isOpen}
                        aria-label={`line ${line}${isFunction ? ", show" : ", details"}`} onClick={open}>{line}</button>
            </span>
            <span role="cell" class="c-code" style={{ "--warmth": warmth(rows, row, model.largest[isFunction ? "functions" : "lines"]) }}>
                {isFunction ? <bdi class="function-name">{file.functionNames[row]}</bdi> : <Code file={file} row={row} />}
                {leak && <b class="badge" title={leakWords(leak)}>leak</b>}
            </span>
        </div>
    );
}

function Gap({ item, n }: { item: Extract<Item, { kind: "gap" }>; n: number }): JSX.Element {
    const { file, from, to } = item;
    const show = (): void => {
        opened.value = new Set([...opened.value, `${file.path}:${from}`]);
    };
    return (
        <div class="gap grid" role="row"><span role="cell" aria-colspan={n}>
            <button type="button" onClick={show}>⋯ {words.counted(to - from + 1, "line")}</button>
        </span></div>
    );
}

export function Table({ model, of }: { model: Model; of: "lines" | "functions" }): JSX.Element {
    const { mode, q, at, columns: wanted } = route.value;
    const place = useMemo(() => findPlace(model.files, at), [model, at]);
    const columns = shownColumns(model, wanted, isWide.value);
    const items = useMemo(() => makeItems(model.files, of, {
        mode, q, sort: sort.value, at: place, opened: opened.value,
        isOpen: (file) => folds.value.get(file.path) ?? (isNotableFile(file) || file === model.files[0] || file === place?.file),
    }), [model, of, mode, q, sort.value, place, folds.value, opened.value]);
    const target = useMemo(() => {
        if (!place || of !== "lines") return null;
        const index = items.findIndex((item) => item.kind === "row" && item.file === place.file && place.file.lines.lineno[item.row] === place.line);
        return index < 0 ? null : { index, token: `${at}` };
    }, [items, at]);
    const n = columns.length + 2;
    const template = [...columns.map((column) => `${column.width}px`), `${lineWidth(isWide.value)}px`, "minmax(0, 1fr)"].join(" ");
    useEffect(() => document.documentElement.style.setProperty("--columns", template), [template]);
    return (
        <div class="table" role="table" aria-label={of === "lines" ? "Lines" : "Functions"} aria-rowcount={items.length + 1}>
            <div role="rowgroup" class="head-group"><Head columns={columns} last={of === "lines" ? "code" : "function"} files={model.files} /></div>
            <VirtualList items={items} keyOf={(item) => item.key} heightOf={(item) => HEIGHTS[item.kind]} isMeasured={(item) => item.kind === "detail"} target={target}
                render={(item) => {
                    switch (item.kind) {
                        case "file": return <FileRow model={model} item={item} n={n} />;
                        case "row": return <Row model={model} columns={columns} file={item.file} row={item.row} rows={item.file.lines} isFunction={false} />;
                        case "function": return <Row model={model} columns={columns} file={item.file} row={item.row} rows={item.file.functions} isFunction />;
                        case "gap": return <Gap item={item} n={n} />;
                        case "detail": return <div role="row"><div role="cell" aria-colspan={n}><Detail model={model} file={item.file} row={item.row} /></div></div>;
                        case "note": return <div class="note" role="row"><span role="cell" aria-colspan={n}>{item.text}</span></div>;
                    }
                }} />
        </div>
    );
}
