// SPDX-License-Identifier: Apache-2.0
// Every request to a provider, to the letter, and what is read from its answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { providers, missingFields } = await load("providers/index", "provider");

const prompt = { system: "SYSTEM", user: "USER" };
const json = { "Content-Type": "application/json" };
const chat = [{ role: "system", content: "SYSTEM" }, { role: "user", content: "USER" }];

const provider = (id) => providers.find((candidate) => candidate.id === id);

function ask(id, settings, model, isStreamed = false) {
    const { body, ...rest } = provider(id).ask({ settings, model, prompt, isStreamed });
    return { ...rest, body: JSON.parse(body) };
}

test("all providers are there, in upstream's order, each with a name of its own", () => {
    assert.deepEqual(providers.map(({ id }) => id), ["amazon", "anthropic", "azure-openai", "gemini", "openai", "local", "compatible"]);
    assert.equal(new Set(providers.map(({ name }) => name)).size, providers.length);
});

test("OpenAI", () => {
    const want = {
        url: "https://api.openai.com/v1/chat/completions", method: "POST", headers: { ...json, Authorization: "Bearer sk-1" },
        body: { model: "gpt-5", messages: chat, user: "scalene-user" },
    };
    assert.deepEqual(ask("openai", { key: " sk-1 " }, "gpt-5"), want);
    assert.deepEqual(ask("openai", { key: "sk-1" }, "gpt-5", true), { ...want, body: { ...want.body, stream: true } });
    for (const url of ["http://h:1/v1", "http://h:1/v1/", "http://h:1/v1/chat/completions"]) {
        assert.equal(ask("openai", { key: "k", url }, "m").url, "http://h:1/v1/chat/completions");
        assert.deepEqual(provider("openai").listModels({ key: "k", url }),
            { url: "http://h:1/v1/models", method: "GET", headers: { Authorization: "Bearer k" } });
    }
});

test("OpenAI's list of models is that of those one can talk to", () => {
    const ids = ["gpt-5", "gpt-4o-audio-preview", "whisper-1", "o3", "gpt-3.5-turbo-instruct", "gpt-realtime", "o1", "dall-e-3"];
    assert.deepEqual(provider("openai").readModels({ data: ids.map((id) => ({ id })) }), ["gpt-5", "o1", "o3"]);
});

test("OpenAI-compatible servers need no key and have any model", () => {
    assert.deepEqual(ask("compatible", { url: "http://localhost:8000/v1" }, "qwen"), {
        url: "http://localhost:8000/v1/chat/completions", method: "POST", headers: json,
        body: { model: "qwen", messages: chat, user: "scalene-user" },
    });
    assert.deepEqual(provider("compatible").readModels({ data: [{ id: "qwen" }, {}] }), ["qwen"]);
    assert.deepEqual(missingFields(provider("compatible"), {}), []);
});

test("Anthropic", () => {
    const headers = { "x-api-key": "sk-2", "anthropic-version": "2023-06-01", "anthropic-dangerous-direct-browser-access": "true" };
    const want = {
        url: "https://api.anthropic.com/v1/messages", method: "POST", headers: { ...json, ...headers },
        body: { model: "claude-x", max_tokens: 4096, messages: [{ role: "user", content: "USER" }], system: "SYSTEM" },
    };
    assert.deepEqual(ask("anthropic", { key: "sk-2" }, "claude-x"), want);
    assert.deepEqual(ask("anthropic", { key: "sk-2" }, "claude-x", true), { ...want, body: { ...want.body, stream: true } });
    assert.equal(ask("anthropic", { key: "k", url: "http://h/v1/messages/" }, "m").url, "http://h/v1/messages");
    assert.deepEqual(provider("anthropic").listModels({ key: "sk-2" }),
        { url: "https://api.anthropic.com/v1/models?limit=100", method: "GET", headers });
    assert.deepEqual(provider("anthropic").readModels({ data: [{ id: "claude-x" }, { id: 3 }] }), ["claude-x"]);
});

test("Gemini", () => {
    const want = {
        url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:generateContent?key=k%26y", method: "POST", headers: json,
        body: {
            contents: [{ parts: [{ text: "USER" }] }], systemInstruction: { parts: [{ text: "SYSTEM" }] },
            generationConfig: { temperature: 0.3, maxOutputTokens: 4096 },
        },
    };
    assert.deepEqual(ask("gemini", { key: "k&y" }, "gemini-x"), want);
    assert.deepEqual(ask("gemini", { key: "k&y" }, "gemini-x", true),
        { ...want, url: want.url.replace("generateContent?", "streamGenerateContent?alt=sse&") });
    assert.deepEqual(provider("gemini").listModels({ key: "k", url: "http://h/v1/" }), { url: "http://h/v1/models?key=k", method: "GET", headers: {} });
    assert.deepEqual(provider("gemini").readModels({ models: [
        { name: "models/gemini-x", supportedGenerationMethods: ["generateContent"] },
        { name: "models/gemini-embedding", supportedGenerationMethods: ["embedContent"] },
        { name: "models/gemma", supportedGenerationMethods: ["generateContent"] },
    ] }), ["gemini-x"]);
});

test("Azure OpenAI", () => {
    const want = {
        url: "https://n.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=2024-02-15-preview", method: "POST",
        headers: { ...json, "api-key": "k" }, body: { messages: chat, user: "scalene-user" },
    };
    assert.deepEqual(ask("azure-openai", { key: "k", url: "https://n.openai.azure.com/" }, "my gpt"), want);
    const streamed = ask("azure-openai", { key: "k", url: "https://n.openai.azure.com", version: "v9" }, "my gpt", true);
    assert.match(streamed.url, /api-version=v9$/);
    assert.deepEqual(streamed.body, { ...want.body, stream: true });
    assert.deepEqual(missingFields(provider("azure-openai"), {}), ["API key", "Endpoint"]);
});

test("Bedrock", async () => {
    const settings = { id: "AKID", secret: "s", region: "eu-north-1" };
    const claude = ask("amazon", settings, "us.anthropic.claude-x-v1:0");
    assert.deepEqual(claude, {
        url: "https://bedrock-runtime.eu-north-1.amazonaws.com/model/us.anthropic.claude-x-v1%3A0/invoke", method: "POST", headers: json,
        body: {
            anthropic_version: "bedrock-2023-05-31", max_tokens: 65536,
            messages: [{ role: "user", content: [{ type: "text", text: "SYSTEM\n\nUSER" }] }],
        },
    });
    const other = ask("amazon", { id: "a", secret: "s" }, "openai.gpt-oss-120b-1:0", true);
    assert.equal(other.url, "https://bedrock-runtime.us-east-1.amazonaws.com/model/openai.gpt-oss-120b-1%3A0/invoke-with-response-stream");
    assert.deepEqual(other.body, { max_completion_tokens: 65536, messages: [{ role: "user", content: "SYSTEM\n\nUSER" }] });
    const sealed = await provider("amazon").seal({ ...claude, body: "{}" }, { ...settings, token: "T" }, new Date(0));
    assert.match(sealed.headers.Authorization,
        /^AWS4-HMAC-SHA256 Credential=AKID\/19700101\/eu-north-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/);
    assert.deepEqual([sealed.headers["X-Amz-Date"], sealed.headers["X-Amz-Security-Token"]], ["19700101T000000Z", "T"]);
});

test("Ollama", () => {
    const want = {
        url: "http://localhost:11434/api/chat", method: "POST", headers: json,
        body: { model: "llama", messages: chat, stream: false, temperature: 0.3, frequency_penalty: 0, presence_penalty: 0, user: "scalene-user" },
    };
    assert.deepEqual(ask("local", {}, "llama"), want);
    assert.deepEqual(ask("local", { url: "http://10.0.0.5:11434/" }, "llama", true),
        { ...want, url: "http://10.0.0.5:11434/api/chat", body: { ...want.body, stream: true } });
    assert.deepEqual(provider("local").listModels({}), { url: "http://localhost:11434/api/tags", method: "GET", headers: {} });
    assert.deepEqual(provider("local").readModels({ models: [{ name: "llama:8b" }, null] }), ["llama:8b"]);
});

const wholes = [
    ["openai", { choices: [{ message: { content: "A" }, finish_reason: "stop" }] }, { choices: [{ message: { content: "A" }, finish_reason: "length" }] }],
    ["anthropic", { content: [{ type: "thinking" }, { text: "A" }], stop_reason: "end_turn" }, { content: [{ text: "A" }], stop_reason: "max_tokens" }],
    ["gemini", { candidates: [{ content: { parts: [{ text: "A" }] }, finishReason: "STOP" }] },
        { candidates: [{ content: { parts: [{ text: "A" }] }, finishReason: "MAX_TOKENS" }] }],
    ["local", { message: { content: "A" }, done: true }, { message: { content: "A" }, done: true, done_reason: "length" }],
    ["amazon", { content: [{ text: "A" }], stop_reason: "end_turn" },
        { choices: [{ message: { content: "<reasoning>hm\nhm</reasoning>\nA" }, finish_reason: "length" }] }],
];
for (const [id, complete, cut] of wholes) {
    test(`whole answers of ${id}`, () => {
        assert.deepEqual(provider(id).readWhole(complete), { text: "A", end: "complete" });
        assert.deepEqual(provider(id).readWhole(cut), { text: "A", end: "cut" });
    });
}

test("answers of no known shape are empty, never an exception", () => {
    for (const { readWhole, readPiece, readModels } of providers)
        for (const odd of [undefined, null, 1, "x", [], {}, { choices: 1 }, { content: "x" }, { candidates: [null] }, { message: [] }, { data: {} }, { models: 1 }]) {
            assert.equal(readWhole(odd).text, "");
            assert.equal(readPiece(odd).text, "");
            assert.deepEqual(readModels?.(odd) ?? [], []);
        }
});
