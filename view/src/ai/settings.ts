// SPDX-License-Identifier: Apache-2.0
// What the user has chosen. It lives as long as the page; choices that are no secrets are kept for
// the next one, keys only if the user says so, and what came from the environment never.
import { signal } from "@preact/signals";
import { textAt } from "./json";
import { missingFields, type Field, type Provider, type Settings } from "./provider";
import { providers } from "./providers/index";
import type { Goal } from "./prompt";

export type Choices = {
    provider: string;
    goal: Goal;
    useGpu: boolean;
    isStreamed: boolean;
    patienceS: number;
    keepsKeys: boolean;
    /** By the provider's id. */
    models: Record<string, string>;
    fields: Record<string, Settings>;
};

const STORE = "scalene-proposals";

const DEFAULTS: Choices = {
    provider: "", goal: "time", useGpu: false, isStreamed: true, patienceS: 120, keepsKeys: false, models: {}, fields: {},
};

/** Variables of the environment, where the server hands them out. */
export const environment = signal<Record<string, string>>({});

function load(): Choices {
    try {
        const saved: unknown = JSON.parse(localStorage.getItem(STORE) ?? "{}");
        return typeof saved === "object" && saved !== null ? { ...DEFAULTS, ...saved } : DEFAULTS;
    } catch {
        return DEFAULTS; // no storage, or not ours
    }
}

export const choices = signal<Choices>(load());

/** What may be kept: without the secrets, unless they are to be. */
export function keepable(all: Choices): Choices {
    if (all.keepsKeys) return all;
    const fields = providers.map((provider) => {
        const secrets = new Set(provider.fields.filter((field) => field.isSecret).map((field) => field.name));
        return [provider.id, Object.fromEntries(Object.entries(all.fields[provider.id] ?? {}).filter(([name]) => !secrets.has(name)))] as const;
    });
    return { ...all, fields: Object.fromEntries(fields) };
}

export function choose(change: Partial<Choices>): void {
    choices.value = { ...choices.value, ...change };
    try {
        localStorage.setItem(STORE, JSON.stringify(keepable(choices.value)));
    } catch {
        // No storage: the choices hold for this page.
    }
}

export function fillIn(provider: Provider, name: string, value: string): void {
    const { fields } = choices.value;
    choose({ fields: { ...fields, [provider.id]: { ...fields[provider.id], [name]: value } } });
}

/** The variable that fills a field, if one is set. */
export const variableOf = (field: Field): string | undefined => field.environment?.find((name) => environment.value[name]);

/** What the user typed, and what the environment has for the rest. */
export function settingsOf(provider: Provider): Settings {
    const typed = choices.value.fields[provider.id] ?? {};
    return Object.fromEntries(provider.fields.map((field) => {
        const variable = variableOf(field);
        return [field.name, typed[field.name]?.trim() || (variable ? environment.value[variable]! : "")];
    }));
}

/** The chosen provider; before the first choice, one whose keys are in the environment. */
export function chosenProvider(): Provider {
    const wanted = providers.find((provider) => provider.id === choices.value.provider);
    const isKeyed = (provider: Provider): boolean => provider.fields.some((field) => field.isSecret && variableOf(field)) && missingFields(provider, settingsOf(provider)).length === 0;
    return wanted ?? providers.find(isKeyed) ?? providers[0]!;
}

export const modelOf = (provider: Provider): string => choices.value.models[provider.id] ?? provider.models[0] ?? "";

let isAsked = false;

/** Asks the page's own server for the environment's keys, if its address says that it has them. */
export async function readEnvironment(): Promise<void> {
    if (isAsked || !new URLSearchParams(location.search).has("keys")) return;
    isAsked = true;
    const answer = await fetch("keys.json", { cache: "no-store" });
    const found: unknown = answer.ok ? await answer.json() : {};
    environment.value = Object.fromEntries(Object.keys(found ?? {}).map((name) => [name, textAt(found, name)]));
}
