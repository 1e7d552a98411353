// SPDX-License-Identifier: Apache-2.0
// Google's Gemini.
import { at, listAt, textAt } from "../json";
import { base, JSON_TYPE, valueOf, type Piece, type Provider } from "../provider";

const ANSWER_TOKENS = 4096;
const TEMPERATURE = 0.3;

function read(json: unknown): Piece {
    const candidate = at(json, "candidates", 0);
    const reason = textAt(candidate, "finishReason") || textAt(json, "promptFeedback", "blockReason");
    const error = textAt(json, "error", "message");
    return {
        text: listAt(candidate, "content", "parts").map((part) => textAt(part, "text")).join(""),
        ...(reason === "" ? {} : { end: reason === "MAX_TOKENS" ? ("cut" as const) : ("complete" as const) }),
        ...(error ? { error } : {}),
    };
}

export const gemini: Provider = {
    id: "gemini",
    name: "Google Gemini",
    fields: [
        { name: "key", label: "API key", isSecret: true, environment: ["GEMINI_API_KEY", "GOOGLE_API_KEY"] },
        {
            name: "url", label: "Address", isOptional: true, fallback: "https://generativelanguage.googleapis.com/v1beta",
            hint: "of the API, if it is not Google's own",
        },
    ],
    models: ["gemini-3-pro-preview", "gemini-3-flash-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite",
        "gemini-2.0-flash", "gemini-2.0-flash-lite"],
    packing: "sse",
    ask({ settings, model, prompt, isStreamed }) {
        const call = isStreamed ? "streamGenerateContent?alt=sse&" : "generateContent?";
        const key = encodeURIComponent(valueOf(gemini, settings, "key"));
        return {
            url: `${base(valueOf(gemini, settings, "url"))}/models/${encodeURIComponent(model)}:${call}key=${key}`,
            method: "POST",
            headers: JSON_TYPE,
            body: JSON.stringify({
                contents: [{ parts: [{ text: prompt.user }] }],
                systemInstruction: { parts: [{ text: prompt.system }] },
                generationConfig: { temperature: TEMPERATURE, maxOutputTokens: ANSWER_TOKENS },
            }),
        };
    },
    readWhole: (json) => ({ end: "complete", ...read(json) }),
    readPiece: read,
    listModels: (settings) => ({
        url: `${base(valueOf(gemini, settings, "url"))}/models?key=${encodeURIComponent(valueOf(gemini, settings, "key"))}`,
        method: "GET",
        headers: {},
    }),
    readModels: (json) => listAt(json, "models")
        .filter((model) => listAt(model, "supportedGenerationMethods").includes("generateContent"))
        .map((model) => textAt(model, "name").replace(/^models\//, ""))
        .filter((name) => name.includes("gemini")),
};
