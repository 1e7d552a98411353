// SPDX-License-Identifier: Apache-2.0
// OpenAI, and every server that speaks like it.
import { at, listAt, textAt } from "../json";
import type { Parcel } from "../parcel";
import { base, JSON_TYPE, valueOf, type Field, type Piece, type Provider, type Question, type Settings } from "../provider";

export const messages = ({ prompt }: Question): { role: string; content: string }[] => [
    { role: "system", content: prompt.system },
    { role: "user", content: prompt.user },
];

/** Who asks, as far as the provider is told. */
export const USER = "scalene-user";

const streamed = (isStreamed: boolean): { stream?: true } => (isStreamed ? { stream: true } : {});

export const chatBody = (question: Question, model: { model?: string }): string =>
    JSON.stringify({ ...model, messages: messages(question), user: USER, ...streamed(question.isStreamed) });

function endOf(choice: unknown): Pick<Piece, "end"> {
    const reason = textAt(choice, "finish_reason");
    return reason === "" ? {} : { end: reason === "length" ? "cut" : "complete" };
}

export const readChatWhole = (json: unknown): Piece => {
    const choice = at(json, "choices", 0);
    return { text: textAt(choice, "message", "content"), end: "complete", ...endOf(choice) };
};

export const readChatPiece = (json: unknown): Piece => {
    const choice = at(json, "choices", 0);
    const error = textAt(json, "error", "message");
    return { text: textAt(choice, "delta", "content"), ...endOf(choice), ...(error ? { error } : {}) };
};

/** A custom address may be that of the API or of its chat; both lead to both. */
const api = (address: string): string => base(address).replace(/\/chat\/completions$/, "");

const bearer = (key: string): Record<string, string> => (key ? { Authorization: `Bearer ${key}` } : {});

function chatProvider(about: Pick<Provider, "id" | "name" | "fields" | "models"> & { isChat: (id: string) => boolean }): Provider {
    const { isChat, ...rest } = about;
    const address = (settings: Settings): string => api(valueOf(about, settings, "url"));
    const headers = (settings: Settings): Record<string, string> => bearer(valueOf(about, settings, "key"));
    return {
        ...rest,
        packing: "sse",
        ask: (question): Parcel => ({
            url: `${address(question.settings)}/chat/completions`,
            method: "POST",
            headers: { ...JSON_TYPE, ...headers(question.settings) },
            body: chatBody(question, { model: question.model }),
        }),
        readWhole: readChatWhole,
        readPiece: readChatPiece,
        listModels: (settings): Parcel => ({ url: `${address(settings)}/models`, method: "GET", headers: headers(settings) }),
        readModels: (json) => listAt(json, "data").map((model) => textAt(model, "id")).filter(isChat).sort(),
    };
}

const urlField: Field = { name: "url", label: "Address", isOptional: true, fallback: "https://api.openai.com/v1", hint: "of the API, if it is not OpenAI's own" };

export const openai = chatProvider({
    id: "openai",
    name: "OpenAI",
    fields: [{ name: "key", label: "API key", isSecret: true, environment: ["OPENAI_API_KEY"] }, urlField],
    models: ["gpt-5.2", "gpt-5.2-pro", "gpt-5.1", "gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano",
        "gpt-4o", "o3-pro", "o3", "o3-mini", "o4-mini"],
    isChat: (id) => /gpt|o1|o3|o4/.test(id) && !/instruct|realtime|audio/.test(id),
});

export const compatible = chatProvider({
    id: "compatible",
    name: "Other server (OpenAI-compatible)",
    fields: [
        { name: "url", label: "Address", fallback: "http://localhost:8000/v1", hint: "llama.cpp, vLLM, LM Studio and others" },
        { name: "key", label: "API key", isSecret: true, isOptional: true },
    ],
    models: [],
    isChat: (id) => id !== "",
});
