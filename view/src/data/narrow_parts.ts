// SPDX-License-Identifier: Apache-2.0
// The same model for a part of the run, where the profile tells whose each second was and when.
import { emptyRows, largestTimes, LEAST_WAIT, rowOfLine, WAIT_KINDS, type FileModel, type Model, type Rows } from "./model";
import { blank } from "./narrow";
import { IDLE, KINDS, type Parts, type Selection, type SiteSums } from "./parts";
import { costError, type Sum } from "./sure";

const N_WAITS = WAIT_KINDS.length;

/** Adds what a site has to a row, in seconds; shares are made of them at the end. */
function addSite(rows: Rows, row: number, sums: SiteSums, site: number): void {
    if (row < 0) return;
    const at = site * KINDS.length;
    rows.python[row] += sums.s[at];
    rows.native[row] += sums.s[at + 1];
    rows.system[row] += sums.s[at + 2] + sums.s[at + IDLE];
    rows.idle[row] += sums.s[at + IDLE];
    rows.samples[row] += sums.samples[site];
    // Until the end, the looks alone.
    rows.error[row] += sums.looks[site];
    for (let k = 0; k < N_WAITS; k++) {
        rows.waits[row * N_WAITS + k] += sums.waits[site * N_WAITS + k];
        rows.waitS[row] += sums.waits[site * N_WAITS + k];
    }
}

function finish(rows: Rows, all: Sum, even: number, elapsedS: number): void {
    const scale = all.cpuS + all.idleS > 0 ? 100 / (all.cpuS + all.idleS) : 0;
    for (let i = 0; i < rows.n; i++) {
        const [idleS, looks] = [rows.idle[i], rows.error[i]];
        rows.seconds[i] = rows.python[i] + rows.native[i] + rows.system[i];
        rows.error[i] = costError({ cpuS: rows.seconds[i] - idleS, idleS, samples: rows.samples[i], looks }, all, even);
        rows.samples[i] = Math.round(rows.samples[i] + looks);
        for (const name of ["python", "native", "system", "idle"] as const) rows[name][i] *= scale;
        rows.time[i] = Math.min(100, rows.python[i] + rows.native[i] + rows.system[i]);
        rows.isActive[i] = rows.time[i] > 0 || (elapsedS > 0 && rows.waitS[i] > LEAST_WAIT * elapsedS) ? 1 : 0;
    }
}

/** The row of a function that begins on a line. */
function functionRows(rows: Rows): Map<number, number> {
    const known = new Map<number, number>();
    for (let i = rows.n - 1; i >= 0; i--) known.set(rows.lineno[i], i);
    return known;
}

/** Functions in the order of what they cost now. */
function orderFunctions(rows: Rows, names: string[]): { functions: Rows; functionNames: string[] } {
    const order = [...names.keys()].sort((a, b) => rows.time[b] - rows.time[a] || rows.lineno[a] - rows.lineno[b]);
    const functions = emptyRows(rows.n);
    for (const [name, column] of Object.entries(rows)) {
        if (!(column instanceof Float64Array) || name === "waits") continue;
        order.forEach((from, to) => ((functions as unknown as { [key: string]: Float64Array })[name][to] = column[from]));
    }
    order.forEach((from, to) => functions.waits.set(rows.waits.subarray(from * N_WAITS, (from + 1) * N_WAITS), to * N_WAITS));
    return { functions, functionNames: order.map((i) => names[i]) };
}

function narrowFile(file: FileModel, parts: Parts, sites: number[], sums: SiteSums, all: Sum, even: number, elapsedS: number): FileModel {
    const lines = blank(file.lines);
    const functions = blank(file.functions);
    const known = functionRows(functions);
    for (const site of sites) {
        addSite(lines, rowOfLine(lines, parts.sites[site].line), sums, site);
        addSite(functions, known.get(parts.sites[site].functionLine) ?? -1, sums, site);
    }
    finish(lines, all, even, elapsedS);
    finish(functions, all, even, elapsedS);
    const percent = lines.time.reduce((sum, value) => sum + value, 0);
    return { ...file, percent, lines, ...orderFunctions(functions, file.functionNames), leaks: {}, trendRows: new Int32Array(0), trends: new Float32Array(0) };
}

const sum = (column: Float64Array): number => column.reduce((a, b) => a + b, 0);

function total(sums: SiteSums): { byKind: number[]; all: Sum; waits: number[] } {
    const byKind = KINDS.map((_, k) => sum(sums.s.filter((_s, i) => i % KINDS.length === k)));
    const waits = WAIT_KINDS.map((_, k) => sum(sums.waits.filter((_s, i) => i % N_WAITS === k)));
    return { byKind, waits, all: { cpuS: byKind[0] + byKind[1] + byKind[2], idleS: byKind[IDLE], samples: sum(sums.samples), looks: sum(sums.looks) } };
}

export function narrowParts(model: Model, parts: Parts, sums: SiteSums, { fromS, toS }: Selection): Model {
    const { byKind, all, waits } = total(sums);
    const elapsedS = Math.max(0, Math.min(toS ?? Infinity, Math.max(model.elapsedS, parts.lengthS)) - (fromS ?? 0));
    const isAllTime = fromS === null && toS === null;
    const byPath = new Map<string, number[]>();
    parts.sites.forEach(({ path }, i) => byPath.set(path, byPath.get(path) ?? []).get(path)!.push(i));
    const files = model.files
        .map((file) => narrowFile(file, parts, byPath.get(file.path) ?? [], sums, all, model.even, elapsedS))
        .sort((a, b) => b.percent - a.percent);
    const percent = (s: number): number => (100 * s) / (all.cpuS + all.idleS || 1);
    return {
        ...model, files, largest: largestTimes(files), python: percent(byKind[0]), native: percent(byKind[1]), system: percent(byKind[2] + byKind[IDLE]),
        ...all, samples: Math.round(all.samples), looks: Math.round(all.looks), elapsedS: isAllTime ? model.elapsedS : elapsedS, waits, gil: [],
        features: {
            ...model.features, samples: true, memory: false, copy: false, gpu: false, await: false,
            waits: files.some((file) => file.lines.waitS.some((s) => s > LEAST_WAIT * elapsedS)),
        },
    };
}
