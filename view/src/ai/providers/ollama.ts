// SPDX-License-Identifier: Apache-2.0
// Ollama, on this machine or another one.
import { at, listAt, textAt } from "../json";
import { base, JSON_TYPE, valueOf, type Piece, type Provider } from "../provider";
import { messages, USER } from "./openai";

const TEMPERATURE = 0.3;

function read(json: unknown): Piece {
    const error = textAt(json, "error");
    const isCut = textAt(json, "done_reason") === "length";
    return {
        text: textAt(json, "message", "content"),
        ...(at(json, "done") === true ? { end: isCut ? ("cut" as const) : ("complete" as const) } : {}),
        ...(error ? { error } : {}),
    };
}

export const ollama: Provider = {
    id: "local",
    name: "Ollama",
    fields: [{ name: "url", label: "Address", fallback: "http://localhost:11434", isOptional: true }],
    models: [],
    packing: "lines",
    ask: (question) => ({
        url: `${base(valueOf(ollama, question.settings, "url"))}/api/chat`,
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify({
            model: question.model, messages: messages(question), stream: question.isStreamed, temperature: TEMPERATURE,
            frequency_penalty: 0, presence_penalty: 0, user: USER,
        }),
    }),
    readWhole: read,
    readPiece: read,
    listModels: (settings) => ({ url: `${base(valueOf(ollama, settings, "url"))}/api/tags`, method: "GET", headers: {} }),
    readModels: (json) => listAt(json, "models").map((model) => textAt(model, "name")).filter((name) => name !== ""),
};
