// SPDX-License-Identifier: Apache-2.0
// Streams, cut at every byte; and everything that can go wrong between a question and its answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { providers, ask, listModels, refusal, unpacker, originOf } = await load("providers/index", "ask", "unpack", "carry");

const provider = (id) => providers.find((candidate) => candidate.id === id);
const utf8 = new TextEncoder();
const sse = (...events) => utf8.encode(events.map((event) => `event: x\ndata: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""));
const lines = (...events) => utf8.encode(events.map((event) => `${JSON.stringify(event)}\n`).join(""));

/** Amazon's framing, written independently: checksums are left at zero, the browser has TLS. */
function frame(payload, headers = { ":event-type": "chunk", ":message-type": "event" }) {
    const heads = Buffer.concat(Object.entries(headers).map(([name, value]) => Buffer.concat([
        Buffer.from([name.length]), Buffer.from(name), Buffer.from([7, value.length >> 8, value.length & 255]), Buffer.from(value)])));
    const body = Buffer.from(JSON.stringify(payload));
    const prelude = Buffer.alloc(12);
    prelude.writeUInt32BE(16 + heads.length + body.length, 0);
    prelude.writeUInt32BE(heads.length, 4);
    return Buffer.concat([prelude, heads, body, Buffer.alloc(4)]);
}
const frames = (...events) => new Uint8Array(Buffer.concat(events.map((event) => frame({ bytes: Buffer.from(JSON.stringify(event)).toString("base64") }))));

/** A courier that plays reports; a function among them is called instead. */
function player(...reports) {
    const seen = { origins: [], parcels: [], terminated: 0 };
    const start = (origin) => {
        seen.origins.push(origin);
        const courier = {
            onmessage: null, onerror: null,
            postMessage(parcel) {
                seen.parcels.push(parcel);
                queueMicrotask(async () => {
                    for (const report of reports) {
                        await null;
                        if (typeof report === "function") report(courier);
                        else courier.onmessage({ data: report });
                    }
                });
            },
            terminate() { seen.terminated++; courier.onmessage = () => undefined; },
        };
        return courier;
    };
    return { start, seen };
}
const head = (status = 200) => ({ kind: "head", status });
const piece = (bytes) => ({ kind: "piece", bytes: typeof bytes === "string" ? utf8.encode(bytes) : bytes });
const END = { kind: "end" };

function put(id, isStreamed, reports, { patienceS = 30, stop = new AbortController().signal, settings = { key: "k", url: "http://h", id: "a", secret: "s" } } = {}) {
    const { start, seen } = player(...reports);
    const texts = [];
    const outcome = ask(provider(id), { settings, model: "m", prompt: { system: "S", user: "U" }, isStreamed }, { patienceS, stop, courier: start }, (text) => texts.push(text));
    return { outcome, texts, seen };
}

const streams = {
    openai: sse({ choices: [{ delta: { role: "assistant" } }] }, { choices: [{ delta: { content: "grün" } }] }, { choices: [{ delta: { content: " 🐍" } }] },
        { choices: [{ delta: {}, finish_reason: "stop" }] }, { choices: [], usage: {} }, "[DONE]"),
    anthropic: sse({ type: "message_start", message: {} }, { type: "ping" }, { type: "content_block_delta", delta: { type: "text_delta", text: "grün" } },
        { type: "content_block_delta", delta: { text: " 🐍" } }, { type: "message_delta", delta: { stop_reason: "end_turn" } }, { type: "message_stop" }),
    gemini: sse({ candidates: [{ content: { parts: [{ text: "grün" }] } }] }, { candidates: [{ content: { parts: [{ text: " 🐍" }] }, finishReason: "STOP" }] }),
    local: lines({ message: { content: "grün" }, done: false }, { message: { content: " 🐍" }, done: false }, { message: { content: "" }, done: true }),
    amazon: frames({ type: "content_block_delta", delta: { text: "grün" } }, { type: "content_block_delta", delta: { text: " 🐍" } },
        { type: "message_delta", delta: { stop_reason: "end_turn" } }),
};
streams["azure-openai"] = streams.compatible = streams.openai;

for (const [id, bytes] of Object.entries(streams)) {
    test(`a stream of ${id} is read wherever it is cut`, async () => {
        for (const step of [1, 2, 3, 7, 64, bytes.length]) {
            const pieces = [];
            for (let i = 0; i < bytes.length; i += step) pieces.push(piece(bytes.subarray(i, i + step)));
            const { outcome, texts } = put(id, true, [head(), ...pieces, END]);
            assert.deepEqual(await outcome, { text: "grün 🐍", isCut: false });
            if (step < 8) assert.ok(texts.includes("grün"), "seen while it grows");
        }
    });
    test(`a stream of ${id} that ends early is no answer`, async () => {
        const half = bytes.subarray(0, Math.floor(bytes.length * 0.6));
        await assert.rejects(put(id, true, [head(), piece(half), END]).outcome, /broke off/);
        await assert.rejects(put(id, true, [head(), piece(half), { kind: "lost", why: "x" }]).outcome, /connection broke/);
    });
}

test("a last line without its end counts", async () => {
    const { outcome } = put("local", true, [head(), piece('{"message":{"content":"a"},"done":true}'), END]);
    assert.equal((await outcome).text, "a");
});

test("lines may end in any way", () => {
    const unpack = unpacker("sse");
    assert.deepEqual(unpack(utf8.encode('data: 1\r')), []);
    assert.deepEqual(unpack(utf8.encode('\ndata:2\rdata: 3\n: remark\nid: 4\n\n')), [1, 2, 3]);
});

test("a limit is told", async () => {
    const cut = sse({ choices: [{ delta: { content: "a" }, finish_reason: "length" }] });
    assert.deepEqual(await put("openai", true, [head(), piece(cut), END]).outcome, { text: "a", isCut: true });
});

test("errors within a stream are told in the provider's words", async () => {
    const ours = sse({ type: "content_block_delta", delta: { text: "a" } }, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
    await assert.rejects(put("anthropic", true, [head(), piece(ours), END]).outcome, { message: "Anthropic broke off: Overloaded" });
    const exception = new Uint8Array(frame({ message: "slow down" }, { ":exception-type": "throttlingException", ":message-type": "exception" }));
    await assert.rejects(put("amazon", true, [head(), piece(exception), END]).outcome, { message: "Amazon Bedrock broke off: throttlingException: slow down" });
    await assert.rejects(put("local", true, [head(), piece(lines({ error: "model crashed" })), END]).outcome, { message: "Ollama broke off: model crashed" });
});

test("what is no stream at all is told", async () => {
    await assert.rejects(put("amazon", true, [head(), piece("<html>not this</html>"), END]).outcome, /cannot be read: this is no event stream/);
    await assert.rejects(put("openai", true, [head(), piece("<html>not this</html>"), END]).outcome, /broke off before its end/);
    await assert.rejects(put("openai", false, [head(), piece("<html>"), END]).outcome, /no JSON/);
    await assert.rejects(put("openai", false, [head(), piece("{}"), END]).outcome, /empty answer/);
});

test("whole answers", async () => {
    const { outcome, seen } = put("openai", false, [head(), piece('{"choices":[{"message":'), piece('{"content":"x"}}]}'), END]);
    assert.deepEqual(await outcome, { text: "x", isCut: false });
    assert.deepEqual(seen.origins, ["http://h"]);
    assert.equal(seen.terminated, 1);
});

for (const [status, words] of [[401, "refuses the key"], [403, "refuses the key"], [404, "does not know the model"], [429, "wants a pause"], [500, "trouble of its own"], [302, "not answer as expected"]])
    for (const isStreamed of [false, true])
        test(`status ${status}, ${isStreamed ? "streamed" : "whole"}`, async () => {
            const { outcome, texts } = put("openai", isStreamed, [head(status), piece('{"error":{"message":"Incorrect'), piece(' API key"}}'), END]);
            await assert.rejects(outcome, (why) => why.message.includes(words) && why.message.endsWith(`(${status}): Incorrect API key`));
            assert.deepEqual(texts.filter(Boolean), []);
        });

test("reasons are found where each provider puts them, and are cut", () => {
    assert.equal(refusal("P", 400, '{"message":"m"}'), "P does not take the request (400): m");
    assert.equal(refusal("P", 400, '{"error":"e"}'), "P does not take the request (400): e");
    assert.equal(refusal("P", 400, '[{"error":{"message":"g"}}]'), "P does not take the request (400): g");
    assert.equal(refusal("P", 502, "<html>"), "P has a trouble of its own (502).");
    assert.ok(refusal("P", 400, JSON.stringify({ message: "x".repeat(9999) })).length < 600);
});

test("silence is given up", async () => {
    const { outcome, seen } = put("openai", true, [head()], { patienceS: 0.05 });
    await assert.rejects(outcome, { message: "http://h was silent for 0.05 seconds; given up." });
    assert.equal(seen.terminated, 1);
});

test("the user can stop it, before and while it runs", async () => {
    const control = new AbortController();
    const { outcome, seen } = put("openai", true, [head(), () => control.abort()], { stop: control.signal });
    await assert.rejects(outcome, { message: "Stopped." });
    assert.equal(seen.terminated, 1);
    const second = put("openai", true, [], { stop: control.signal });
    await assert.rejects(second.outcome, { message: "Stopped." });
    assert.deepEqual(second.seen.origins, []);
});

test("a server of the page that is gone is told", async () => {
    await assert.rejects(put("openai", true, [(courier) => courier.onerror({})]).outcome, /start scalene view again/);
});

test("only http and https are addresses", () => {
    assert.equal(originOf("HTTPS://Api.Example.com:443/v1"), "https://api.example.com");
    for (const odd of ["", "localhost:11434", "ftp://h/", "javascript:alert(1)", "file:///etc/passwd", "//h"])
        assert.throws(() => originOf(odd), /address|begins/);
});

test("model lists are fetched; one without models is told", async () => {
    const good = player(head(), piece('{"models":[{"name":"llama"}]}'), END);
    assert.deepEqual(await listModels(provider("local"), {}, { patienceS: 1, stop: new AbortController().signal, courier: good.start }), ["llama"]);
    assert.deepEqual(good.seen.parcels, [{ url: "http://localhost:11434/api/tags", method: "GET", headers: {} }]);
    const none = player(head(), piece("{}"), END);
    await assert.rejects(listModels(provider("local"), {}, { patienceS: 1, stop: new AbortController().signal, courier: none.start }), /lists no models/);
});
