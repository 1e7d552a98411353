// SPDX-License-Identifier: Apache-2.0
// Anthropic's messages.
import { listAt, textAt } from "../json";
import { base, JSON_TYPE, valueOf, type Piece, type Provider, type Settings } from "../provider";

const ANSWER_TOKENS = 4096;

function endOf(reason: string): Pick<Piece, "end"> {
    return reason === "" ? {} : { end: reason === "max_tokens" ? "cut" : "complete" };
}

/** Text may come in several blocks, with others (thinking) among them. */
export const readMessage = (json: unknown): Piece => ({
    text: listAt(json, "content").map((block) => textAt(block, "text")).join(""),
    end: "complete",
    ...endOf(textAt(json, "stop_reason")),
});

export const readMessageEvent = (json: unknown): Piece => {
    const error = textAt(json, "type") === "error" ? textAt(json, "error", "message") || "an error without a message" : "";
    return { text: textAt(json, "delta", "text"), ...endOf(textAt(json, "delta", "stop_reason")), ...(error ? { error } : {}) };
};

/** A custom address may be that of the API or of its messages. */
const api = (address: string): string => base(address).replace(/\/messages$/, "");

function headersOf(settings: Settings): Record<string, string> {
    return {
        "x-api-key": valueOf(anthropic, settings, "key"),
        "anthropic-version": "2023-06-01",
        "anthropic-dangerous-direct-browser-access": "true",
    };
}

export const anthropic: Provider = {
    id: "anthropic",
    name: "Anthropic",
    fields: [
        { name: "key", label: "API key", isSecret: true, environment: ["ANTHROPIC_API_KEY"] },
        { name: "url", label: "Address", isOptional: true, fallback: "https://api.anthropic.com/v1", hint: "of the API, if it is not Anthropic's own" },
    ],
    models: ["claude-sonnet-4-5-20250929", "claude-opus-4-5-20251124", "claude-haiku-4-5-20251015"],
    packing: "sse",
    ask: ({ settings, model, prompt, isStreamed }) => ({
        url: `${api(valueOf(anthropic, settings, "url"))}/messages`,
        method: "POST",
        headers: { ...JSON_TYPE, ...headersOf(settings) },
        body: JSON.stringify({
            model, max_tokens: ANSWER_TOKENS, messages: [{ role: "user", content: prompt.user }], system: prompt.system,
            ...(isStreamed ? { stream: true } : {}),
        }),
    }),
    readWhole: readMessage,
    readPiece: readMessageEvent,
    listModels: (settings) => ({
        url: `${api(valueOf(anthropic, settings, "url"))}/models?limit=100`, method: "GET", headers: headersOf(settings),
    }),
    readModels: (json) => listAt(json, "data").map((model) => textAt(model, "id")).filter((id) => id !== ""),
};
