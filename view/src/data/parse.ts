// SPDX-License-Identifier: Apache-2.0
// A JSON profile, ours or upstream's, to a Model.
import { parseAbout, parseMemory, type Root } from "./about";
import { largestTimes, LEAST_WAIT, TREND_CELLS, type Features, type FileModel, type Leak, type Model, type Rows } from "./model";
import { parseLanes } from "./parts";
import { isObject, list, number, object, objects, pairs, percent, strings, text, type Loose } from "./read";
import { curve, hasTrend, lineText, makeRows, type Item } from "./rows";
import type { File as FileJson, Leak as LeakJson, Profile } from "./schema";

/** A path as people say it: relative to the program's folder where it lies in it. */
export function shortPath(root: Root, path: string): string {
    for (const key of ["entrypoint_dir", "filename"] as const) {
        const folder = text(root, key).replace(/\/+$/, "");
        if (folder && path.startsWith(`${folder}/`) && path.length > folder.length + 1) return path.slice(folder.length + 1);
    }
    return path;
}

function parseLeaks(file: Loose<FileJson>): { [lineno: string]: Leak } {
    const all = Object.entries(object<FileJson, { [key: string]: unknown }>(file, "leaks")).filter(([, leak]) => isObject(leak));
    return Object.fromEntries(all.map(([lineno, value]) => {
        const leak = value as Loose<LeakJson>;
        return [lineno, {
            likelihood: Math.min(1, number(leak, "likelihood")), velocityMbS: number(leak, "velocity_mb_s"),
            errorMbS: number(leak, "error_mb_s"), liveMb: number(leak, "live_mb"),
        }];
    }));
}

function parseTrends(items: Item[], elapsedS: number): Pick<FileModel, "trendRows" | "trends"> {
    const rows = items.map((item, i) => (hasTrend(item) ? i : -1)).filter((i) => i >= 0);
    const trends = new Float32Array(rows.length * TREND_CELLS);
    rows.forEach((row, i) => trends.set(curve(pairs(items[row], "memory_samples"), elapsedS, TREND_CELLS), i * TREND_CELLS));
    return { trendRows: Int32Array.from(rows), trends };
}

function markLeaks(rows: Rows, leaks: { [lineno: string]: Leak }): void {
    for (let i = 0; i < rows.n; i++) {
        const leak = leaks[rows.lineno[i]];
        // A leak of unknown speed is still one: the column needs something to sort by.
        if (leak) rows.leakMbS[i] = Math.max(leak.velocityMbS, 1e-6);
    }
}

const byLine = (a: Item, b: Item): number => number(a, "lineno") - number(b, "lineno");

const timeOf = (item: Item): number =>
    Math.min(100, percent(item, "n_cpu_percent_python") + percent(item, "n_cpu_percent_c") + percent(item, "n_sys_percent"));

const byTime = (a: Item, b: Item): number => timeOf(b) - timeOf(a) || byLine(a, b);

/** What is needed to answer a question about one row later. */
export type FileItems = { lines: Item[]; functions: Item[] };

function parseFile(root: Root, path: string, file: Loose<FileJson>): { model: FileModel; items: FileItems } {
    const elapsedS = number(root, "elapsed_time_sec");
    const lines = objects<FileJson, Item>(file, "lines").sort(byLine) as Item[];
    const functions = objects<FileJson, Item>(file, "functions").sort(byTime) as Item[];
    const texts = lines.map(lineText);
    const leaks = parseLeaks(file);
    const rows = makeRows(lines, elapsedS);
    markLeaks(rows, leaks);
    const model: FileModel = {
        path, shortPath: shortPath(root, path), percent: percent(file, "percent_cpu_time"), imports: strings(file, "imports"),
        lines: rows, source: texts.some((line) => line) ? texts.join("\n") : "",
        functions: makeRows(functions, elapsedS), functionNames: functions.map(lineText), leaks,
        ...parseTrends(lines, elapsedS),
    };
    return { model, items: { lines, functions } };
}

const some = (column: Float64Array, least: number): boolean => column.some((value) => value >= least);

function findFeatures(root: Root, files: FileModel[], items: FileItems[]): Features {
    const tables = files.flatMap((file) => [file.lines, file.functions]);
    const elapsedS = number(root, "elapsed_time_sec");
    const about = object<Profile, { samples: number }>(root, "scalene");
    return {
        samples: "samples" in about || items.some(({ lines }) => lines.some((line) => "cpu_samples" in line)),
        memory: tables.some((rows) => rows.peakMb.some((mb) => mb > 0) || rows.allocMb.some((mb) => mb > 0)),
        copy: tables.some((rows) => some(rows.copyMbS, 0.5)),
        gpu: tables.some((rows) => some(rows.gpu, 1)),
        await: tables.some((rows) => some(rows.await, 1)),
        waits: elapsedS > 0 && tables.some((rows) => rows.waitS.some((s) => s > LEAST_WAIT * elapsedS)),
        timeline: list(root, "combined_stacks_timeline").length > 0 || parseLanes(root).length > 0,
    };
}

const sum = (files: FileModel[], name: "python" | "native" | "system"): number =>
    files.reduce((all, file) => file.lines[name].reduce((part, value) => part + value, all), 0);

/** Our own profiles know the total; of others the lines are summed up. */
function shares(files: FileModel[], known: [number, number, number]): [number, number, number] {
    const parts = known.some((value) => value > 0) ? known : ([sum(files, "python"), sum(files, "native"), sum(files, "system")] as const);
    const all = parts[0] + parts[1] + parts[2];
    return all > 0 ? [(100 * parts[0]) / all, (100 * parts[1]) / all, (100 * parts[2]) / all] : [0, 0, 0];
}


/** How busy the GPU was over the run: by line, weighted with the line's time. */
function gpuPercent(files: FileModel[]): number {
    let [busy, time] = [0, 0];
    for (const { lines } of files) {
        for (let i = 0; i < lines.n; i++) {
            busy += lines.gpu[i] * lines.time[i];
            time += lines.time[i];
        }
    }
    return time > 0 ? busy / time : 0;
}

export type Parsed = { model: Model; root: Root; items: FileItems[] };

/** Throws a sentence when the text is no profile. */
export function parseProfile(json: string): Parsed {
    let root: unknown;
    try {
        root = JSON.parse(json);
    } catch (e) {
        throw new Error(`This is not JSON: ${(e as Error).message}.`);
    }
    if (!isObject(root)) throw new Error("This is JSON, but not a profile.");
    if (Object.keys(root).length > 0 && !isObject(root.files)) throw new Error("This is JSON, but not a profile: it has no “files”.");
    return parseRoot(root as Root, json.length);
}

function parseRoot(root: Root, bytes: number): Parsed {
    const parsed = Object.entries(object<Profile, { [path: string]: unknown }>(root, "files"))
        .filter(([, file]) => isObject(file))
        .map(([path, file]) => parseFile(root, path, file as Loose<FileJson>))
        .sort((a, b) => b.model.percent - a.model.percent || (a.model.path < b.model.path ? -1 : 1));
    const files = parsed.map(({ model }) => model);
    const items = parsed.map((one) => one.items);
    const about = parseAbout(root);
    const [python, native, system] = shares(files, about.secondsByKind);
    const model: Model = {
        ...about.facts, python, native, system, files, bytes,
        largest: largestTimes(files),
        gpuPercent: gpuPercent(files), features: findFeatures(root, files, items), memory: parseMemory(root),
        hasStacks: list(root, "combined_stacks").length + list(root, "stacks").length > 0,
        hasMemoryStacks: list(root, "memory_stacks").length > 0,
    };
    return { model, root, items };
}
