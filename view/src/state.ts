// SPDX-License-Identifier: Apache-2.0
// What the page shows and where the user is in it. The place is kept in the address, so that a link
// brings somebody else to the same line.
import { computed, signal } from "@preact/signals";
import { Client } from "./client";
import type { FileModel, Model } from "./data/model";
import { isWhole, type Selection } from "./data/parts";

export const TABS = ["lines", "functions", "flame", "timeline", "waits", "processes", "compare", "run"] as const;
export type Tab = (typeof TABS)[number];

export const MODES = ["hot", "functions", "lines", "all"] as const;
export type Mode = (typeof MODES)[number];

/** Everything a link carries. Empty strings stand for what is usual. */
export type Route = {
    tab: Tab;
    /** Words to filter by. */
    q: string;
    mode: Mode;
    /** A column, the largest first; with "-" before it, the smallest. "" is the order of the lines. */
    sort: string;
    /** The open row, "path:line". */
    at: string;
    flame: "time" | "memory";
    by: "function" | "line";
    /** Numbers of threads with a comma between; the pid of a process. */
    threads: string;
    process: string;
    from: string;
    to: string;
    /** Columns that are shown or hidden against what is usual: "seconds,-copy". */
    columns: string;
};

const USUAL: Route = {
    tab: "lines", q: "", mode: "hot", sort: "", at: "", flame: "time", by: "function", threads: "", process: "", from: "", to: "", columns: "",
};

const ALLOWED: { [K in keyof Route]?: readonly string[] } = { tab: TABS, mode: MODES, flame: ["time", "memory"], by: ["function", "line"] };

export function readRoute(hash: string): Route {
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const entries = Object.entries(USUAL).map(([key, usual]) => {
        const value = given.get(key);
        const allowed = ALLOWED[key as keyof Route];
        return [key, value === null || (allowed && !allowed.includes(value)) ? usual : value];
    });
    return Object.fromEntries(entries) as Route;
}

export function writeRoute(route: Route): string {
    const given = Object.entries(route).filter(([key, value]) => value !== USUAL[key as keyof Route]);
    return given.length ? `#${new URLSearchParams(given)}` : "#";
}

/** In the frame of a notebook the page has no address of its own, and no history. */
export const hasAddress = /^(https?|file):$/.test(location.protocol);

export const route = signal<Route>(readRoute(location.hash));

/** Goes somewhere. A new tab is a step to come back from; the rest only changes the address. */
export function go(change: Partial<Route>): void {
    const next = { ...route.value, ...change };
    const isStep = next.tab !== route.value.tab;
    route.value = next;
    if (hasAddress) history[isStep ? "pushState" : "replaceState"](null, "", writeRoute(next));
}

addEventListener("popstate", () => (route.value = readRoute(location.hash)));

/** The profile as it is, the part of it that is selected, and the one it is compared with. */
export const whole = signal<Model | null>(null);
export const narrowed = signal<Model | null>(null);
export const other = signal<Model | null>(null);
export const otherName = signal("");
export const model = computed(() => narrowed.value ?? whole.value);

export type Status = "reading" | "empty" | "ready";
export const status = signal<Status>("reading");
/** One sentence about what went wrong, shown until the next success. */
export const trouble = signal("");

export const client = new Client();

const numberIn = (text: string): number | null => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : null);

/** What the address asks for, as far as the profile has it. */
export const selection = computed<Selection>(() => {
    const { threads, process, from, to } = route.value;
    const { lanes, processes } = whole.value ?? { lanes: [], processes: [] };
    const known = threads.split(",").map(numberIn).filter((one): one is number => one !== null && (!lanes.length || one < lanes.length));
    const pid = numberIn(process);
    return { threads: known.length ? known : null, pid: processes.some((one) => one.pid === pid) ? pid : null, fromS: numberIn(from), toS: numberIn(to) };
});

/** Everything again. */
export const ALL: Partial<Route> = { threads: "", process: "", from: "", to: "" };

export const isSelected = computed(() => !isWhole(selection.value) && !!whole.value?.features.timeline);

/** The selection that `narrowed` is of; until it is the one in the address, the page is busy. */
export const narrowedTo = signal<Selection | null>(null);
export const isBusy = computed(() => isSelected.value && narrowedTo.value !== selection.value);

export const placeOf = (file: FileModel, lineno: number): string => `${file.shortPath}:${lineno}`;

/** The file and line of a place in the address. */
export function findPlace(files: FileModel[], at: string): { file: FileModel; line: number } | null {
    const parts = /^(.*):(\d+)$/.exec(at);
    const file = parts && files.find((one) => one.shortPath === parts[1] || one.path === parts[1]);
    return parts && file ? { file, line: Number(parts[2]) } : null;
}

/** Shows a line among the others, opened. */
export function showLine(file: FileModel, lineno: number): void {
    go({ tab: "lines", at: placeOf(file, lineno), sort: "", q: "" });
}

/** Reads a profile into one of the two places; on trouble everything stays as it was. */
export async function load(slot: "profile" | "compare", text: string, name: string): Promise<boolean> {
    try {
        const loaded = await client.ask("load", { slot, text });
        if (slot === "compare") {
            other.value = loaded;
            otherName.value = name;
        } else {
            whole.value = loaded;
            narrowed.value = narrowedTo.value = null;
            status.value = loaded.files.length || loaded.elapsedS ? "ready" : "empty";
            document.title = `scalene ${baseName(loaded.program)}`.trim();
        }
        trouble.value = "";
        return true;
    } catch (e) {
        trouble.value = `${name} cannot be shown. ${(e as Error).message}`;
        if (status.value === "reading") status.value = "empty";
        return false;
    }
}

export const baseName = (path: string): string => path.replace(/^.*\//, "");
