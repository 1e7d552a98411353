// SPDX-License-Identifier: Apache-2.0
// What a provider is: the fields it needs, and pure functions that make requests and read answers.
import type { Parcel } from "./parcel";

/** What the user filled in, by the names of the fields. */
export type Settings = Record<string, string>;

export type Field = {
    name: string;
    label: string;
    /** A secret is hidden unless the user wants to see it, and kept only if the user says so. */
    isSecret?: boolean;
    isOptional?: boolean;
    /** What holds where nothing is filled in. */
    fallback?: string;
    /** Variables of the environment that fill it, with `scalene view --api-keys-from-env`. */
    environment?: string[];
    hint?: string;
};

export type Prompt = { system: string; user: string };

export type Question = { settings: Settings; model: string; prompt: Prompt; isStreamed: boolean };

/** A part of an answer, or all of it. `end` tells why nothing follows: complete, or cut at a limit. */
export type Piece = { text: string; end?: "complete" | "cut"; error?: string };

/** How the pieces of a streamed answer are packed. */
export type Packing = "sse" | "lines" | "aws";

export type Provider = {
    id: string;
    name: string;
    fields: Field[];
    /** What is offered before a list was fetched; any other name can be typed. */
    models: string[];
    modelLabel?: string;
    packing: Packing;
    ask(question: Question): Parcel;
    /** The last touch before it is sent, for those who sign. */
    seal?(parcel: Parcel, settings: Settings, now: Date): Promise<Parcel>;
    /** An answer that came whole. */
    readWhole(json: unknown): Piece;
    /** One event of a streamed answer. */
    readPiece(json: unknown): Piece;
    listModels?(settings: Settings): Parcel;
    readModels?(json: unknown): string[];
};

/** The value of a field, or what holds in its place. */
export function valueOf(provider: Pick<Provider, "fields">, settings: Settings, name: string): string {
    const field = provider.fields.find((candidate) => candidate.name === name);
    return settings[name]?.trim() || field?.fallback || "";
}

/** The labels of the fields that have to be filled in first. */
export function missingFields(provider: Provider, settings: Settings): string[] {
    return provider.fields
        .filter((field) => !field.isOptional && valueOf(provider, settings, field.name) === "")
        .map((field) => field.label);
}

/** An address without the slashes at its end, so that a path can be put behind it. */
export const base = (address: string): string => address.replace(/\/+$/, "");

export const JSON_TYPE = { "Content-Type": "application/json" };
