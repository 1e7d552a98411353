// SPDX-License-Identifier: Apache-2.0
// One question to a provider, from the sealed request to the last piece of the answer.
import { carry, Failure, type Carriage, type CourierLike } from "./carry";
import { parse, textAt } from "./json";
import type { Parcel } from "./parcel";
import type { Piece, Provider, Question, Settings } from "./provider";
import { unpacker } from "./unpack";

export type Patience = { patienceS: number; stop: AbortSignal; courier?: (origin: string) => CourierLike };

export type Outcome = { text: string; isCut: boolean };

/** What a status means to somebody who wanted a proposal. */
const MEANINGS: Record<number, string> = {
    400: "does not take the request",
    401: "refuses the key",
    403: "refuses the key, or this use of it",
    404: "does not know the model or the address",
    408: "took too long",
    413: "finds the question too large",
    429: "wants a pause: too many requests, or no credit left",
    529: "is overloaded",
};

/** The provider's own words, wherever it put them. */
function reasonIn(text: string): string {
    const json = parse(text);
    return textAt(json, "error", "message") || textAt(json, "message") || textAt(json, "Message") || textAt(json, "error") || textAt(json, 0, "error", "message");
}

export function refusal(name: string, status: number, text: string): string {
    const meaning = MEANINGS[status] ?? (status >= 500 ? "has a trouble of its own" : "does not answer as expected");
    const reason = reasonIn(text).trim().slice(0, 500);
    return `${name} ${meaning} (${status})${reason ? `: ${reason}` : "."}`;
}

const seal = async (provider: Provider, parcel: Parcel, settings: Settings): Promise<Parcel> =>
    provider.seal ? provider.seal(parcel, settings, new Date()) : parcel;

/** Sends, and collects the body as text; refusals become failures. `onPiece` sees bytes of good answers only. */
async function fetchText(provider: Provider, parcel: Parcel, patience: Patience, onPiece?: (bytes: Uint8Array) => void): Promise<string> {
    const decoder = new TextDecoder();
    let status = 0, text = "";
    const carriage: Carriage = {
        ...patience,
        onHead: (value) => { status = value; },
        onPiece: (bytes) => {
            if (onPiece && status === 200) onPiece(bytes);
            else text += decoder.decode(bytes, { stream: true });
        },
    };
    await carry(parcel, carriage, patience.courier);
    if (status !== 200) throw new Failure(refusal(provider.name, status, text));
    return text;
}

async function askWhole(provider: Provider, parcel: Parcel, patience: Patience): Promise<Piece> {
    const text = await fetchText(provider, parcel, patience);
    const json = parse(text);
    if (json === undefined) throw new Failure(`${provider.name} answered with something that is no JSON.`);
    return provider.readWhole(json);
}

async function askStreamed(provider: Provider, parcel: Parcel, patience: Patience, onText: (text: string) => void): Promise<Piece> {
    const unpack = unpacker(provider.packing);
    const all: Piece = { text: "" };
    const take = (bytes: Uint8Array): void => {
        for (const event of unpack(bytes)) {
            const piece = provider.readPiece(event);
            all.text += piece.text;
            if (piece.end) all.end = piece.end;
            if (piece.error) all.error = piece.error;
        }
        onText(all.text);
    };
    await fetchText(provider, parcel, patience, take);
    take(new TextEncoder().encode("\n")); // the last line may have come without its end
    return all;
}

/** Asks. `onText` is told what there is so far, as it grows. */
export async function ask(provider: Provider, question: Question, patience: Patience, onText: (text: string) => void): Promise<Outcome> {
    const parcel = await seal(provider, provider.ask(question), question.settings);
    const answer = question.isStreamed
        ? await askStreamed(provider, parcel, patience, onText)
        : await askWhole(provider, parcel, patience);
    if (answer.error) throw new Failure(`${provider.name} broke off: ${answer.error}`);
    if (!answer.end) throw new Failure(`The answer of ${provider.name} broke off before its end.`);
    if (answer.text.trim() === "") throw new Failure(`${provider.name} gave an empty answer.`);
    return { text: answer.text, isCut: answer.end === "cut" };
}

export async function listModels(provider: Provider, settings: Settings, patience: Patience): Promise<string[]> {
    if (!provider.listModels || !provider.readModels) return provider.models;
    const text = await fetchText(provider, await seal(provider, provider.listModels(settings), settings), patience);
    const models = provider.readModels(parse(text));
    if (models.length === 0) throw new Failure(`${provider.name} lists no models that could be asked.`);
    return models;
}
