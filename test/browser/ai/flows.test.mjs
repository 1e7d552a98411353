// SPDX-License-Identifier: Apache-2.0
// Proposals in a browser: the served page, its courier, and a provider on loopback.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AXE, open, openUrl, writeProfile } from "../page.mjs";
import { memory } from "../profiles.mjs";
import { provider, view } from "./double.mjs";

const CODE = "```python\nmatrix = matrix.dot(matrix) / self.size\n```";
const chat = (text) => JSON.stringify({ choices: [{ message: { content: text }, finish_reason: "stop" }] });
const sse = (...events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const delta = (content, finish_reason = null) => ({ choices: [{ delta: { content }, finish_reason }] });

const server = await view([writeProfile(memory())]);

/** The panel of the hottest line; everything but the page's own requests and the double's is an error. */
async function panel({ address = server.address, allow = "http://127.0.0.1:", ...options } = {}) {
    const opened = await openUrl(address, { allow: (url) => url.startsWith(allow), ...options });
    const { page } = opened;
    await page.locator("button.line", { hasText: /^22$/ }).click();
    await page.locator(".ai > summary").click();
    return opened;
}

async function choose(page, id, fields, model) {
    await page.locator("#ai-provider").selectOption(id);
    for (const [name, value] of Object.entries(fields)) await page.locator(`#ai-${id}-${name}`).fill(value);
    if (model) await page.locator("#ai-model").fill(model);
}

const send = (page) => page.locator(".ai-send").click();
const note = (page) => page.locator(".ai-note[role=status]");
const diff = (page) => page.locator(".ai-diff > span");

/** Each provider with its fields, what it must get, and an answer in its own form. */
const anthropicHeaders = { "x-api-key": "k1", "anthropic-version": "2023-06-01", "anthropic-dangerous-direct-browser-access": "true" };
const json = { "content-type": "application/json" };
const cases = {
    openai: {
        fields: (address) => ({ key: "k1", url: `${address}/v1` }), url: "/v1/chat/completions", headers: { ...json, authorization: "Bearer k1" },
        keys: ["model", "messages", "user"], answer: { choices: [{ message: { content: CODE }, finish_reason: "stop" }] },
    },
    compatible: {
        fields: (address) => ({ url: `${address}/v1` }), url: "/v1/chat/completions", headers: json,
        keys: ["model", "messages", "user"], answer: { choices: [{ message: { content: CODE }, finish_reason: "stop" }] },
    },
    anthropic: {
        fields: (address) => ({ key: "k1", url: `${address}/v1` }), url: "/v1/messages", headers: { ...json, ...anthropicHeaders },
        keys: ["model", "max_tokens", "messages", "system"], answer: { content: [{ type: "text", text: CODE }], stop_reason: "end_turn" },
    },
    "azure-openai": {
        fields: (address) => ({ key: "k1", url: address }), url: "/openai/deployments/m1/chat/completions?api-version=2024-02-15-preview",
        headers: { ...json, "api-key": "k1" }, keys: ["messages", "user"], answer: { choices: [{ message: { content: CODE }, finish_reason: "stop" }] },
    },
    gemini: {
        fields: (address) => ({ key: "k1", url: `${address}/v1beta` }), url: "/v1beta/models/m1:generateContent?key=k1", headers: json,
        keys: ["contents", "systemInstruction", "generationConfig"], answer: { candidates: [{ content: { parts: [{ text: CODE }] }, finishReason: "STOP" }] },
    },
    local: {
        fields: (address) => ({ url: address }), url: "/api/chat", headers: json,
        keys: ["model", "messages", "stream", "temperature", "frequency_penalty", "presence_penalty", "user"], answer: { message: { content: CODE }, done: true },
    },
    amazon: {
        fields: (address) => ({ id: "AKID", secret: "k1", url: address }), url: "/model/m1/invoke", headers: json, isSigned: true,
        keys: ["max_completion_tokens", "messages"], answer: { choices: [{ message: { content: CODE }, finish_reason: "stop" }] },
    },
};

function checkRequest({ method, url, headers, body, origin }, want) {
    assert.deepEqual([method, url, origin], ["POST", want.url, new URL(server.address).origin]);
    const { authorization, "x-amz-date": date, ...rest } = headers;
    assert.deepEqual(want.isSigned ? rest : headers, want.headers);
    if (want.isSigned) {
        assert.match(authorization, /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/);
        assert.match(date, /^\d{8}T\d{6}Z$/);
    }
    assert.deepEqual(Object.keys(body), want.keys);
    assert.match(JSON.stringify(body), /matrix @ matrix/);
}

test("each provider is asked to the letter, and its answer is shown as a change", async (t) => {
    const { page, close } = await panel();
    await page.getByLabel("show the answer as it comes").uncheck();
    for (const [id, want] of Object.entries(cases))
        await t.test(id, async () => {
            const answer = JSON.stringify(want.answer).replace("self.size", id);
            const double = await provider((_, response) => response.end(answer));
            await choose(page, id, want.fields(double.address), "m1");
            assert.deepEqual(double.all, [], "nothing is sent before the user asks");
            await send(page);
            await page.locator(".ai-new", { hasText: id }).waitFor();
            await page.getByText("Copy as a patch").waitFor();
            assert.equal(double.seen.length, 1);
            checkRequest(double.seen[0], want);
            assert.deepEqual(await diff(page).allTextContents(),
                ["-                 matrix = matrix @ matrix / self.size\n", `+                 matrix = matrix.dot(matrix) / ${id}\n`]);
        });
    await close();
});

test("what will be sent can be read and changed before, and is what is sent", async () => {
    const double = await provider((_, response) => response.end(chat(CODE)));
    const { page, close } = await panel();
    await page.getByLabel("show the answer as it comes").uncheck();
    await choose(page, "openai", { key: "sk-secret", url: double.address }, "gpt-5");
    await page.locator(".ai-preview > summary").click();
    const shown = async () => JSON.parse((await page.locator(".ai-preview > pre").textContent()).split("\n\n").slice(1).join("\n\n"));
    const before = await shown();
    await page.getByLabel("need less memory").check();
    assert.notDeepEqual(await shown(), before, "the goal has an effect");
    await page.locator("#ai-question").fill("Only this.");
    assert.doesNotMatch(await page.locator(".ai-preview > pre").textContent(), /sk-secret/);
    const preview = await shown();
    await send(page);
    await page.getByText("Copy as a patch").waitFor();
    assert.deepEqual(double.seen[0].body, preview);
    assert.equal(double.seen[0].body.messages[1].content, "Only this.");
    await close();
});

test("a streamed answer grows before the eyes, and is still there after its row was closed", async () => {
    let goOn;
    const gate = new Promise((resolve) => { goOn = resolve; });
    const double = await provider(async (_, response) => {
        response.write(sse(delta("Use dot.\n```python\nmatrix = ")));
        await gate;
        response.end(sse(delta("matrix.dot(matrix)\n```"), delta("", "stop")) + "data: [DONE]\n\n");
    });
    const { page, close } = await panel();
    await choose(page, "openai", { key: "k", url: double.address }, "m");
    await send(page);
    await page.getByText("matrix = ", { exact: false }).and(page.locator(".ai-new")).waitFor();
    assert.equal(await page.getByText("Copy the code").count(), 0);
    goOn();
    await page.getByText("Copy the code").waitFor();
    assert.equal(double.seen[0].body.stream, true);
    const line = page.locator("button.line", { hasText: /^22$/ });
    await line.click();
    await page.locator(".ai").waitFor({ state: "detached" });
    await line.click();
    await page.getByText("matrix.dot(matrix)").waitFor();
    await close();
});

test("code and patch can be copied", async () => {
    const double = await provider((_, response) => response.end(chat(`Better:\n${CODE}`)));
    const { page, close } = await panel({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByLabel("show the answer as it comes").uncheck();
    await choose(page, "openai", { key: "k", url: double.address }, "m");
    await send(page);
    const copied = async (label) => {
        await page.getByText(label).click();
        await page.getByText("copied", { exact: true }).first().waitFor();
        return page.evaluate(() => navigator.clipboard.readText());
    };
    assert.equal(await copied("Copy the code"), "                matrix = matrix.dot(matrix) / self.size\n");
    const patch = await copied("Copy as a patch");
    assert.match(patch, /^--- .*solver\.py\n\+\+\+ .*solver\.py\n@@ -22,1 \+22,1 @@\n-.*\n\+.*\n$/);
    await close();
});

/** The console tells of statuses that are errors; here they are wanted. */
async function failing(answer, act, wish) {
    const double = await provider(answer);
    const opened = await panel();
    await choose(opened.page, "openai", { key: "wrong", url: double.address }, "m");
    await act?.(opened.page);
    await send(opened.page);
    await opened.page.locator(".ai-note[role=status]", { hasText: wish }).waitFor();
    await opened.close().catch((why) => assert.match(why.message, /console: Failed to load resource/));
}

test("a refused key is told in the provider's words", () =>
    failing((_, response) => response.writeHead(401).end('{"error":{"message":"Incorrect API key provided"}}'), null, "refuses the key (401): Incorrect API key provided"));

test("a provider that is silent is given up", () =>
    failing(() => undefined, (page) => page.locator("#ai-patience").fill("1").then(() => page.locator("#ai-patience").press("Tab")), /silent for 1 seconds; given up/));

test("a stream that breaks is told, and what came of it is shown", () =>
    failing((_, response) => { response.write(sse(delta("Half"))); setTimeout(() => response.destroy(), 200); }, null, /connection broke/));

test("the user can stop it", async () => {
    const double = await provider(() => undefined);
    const { page, close } = await panel();
    await choose(page, "openai", { key: "k", url: double.address }, "m");
    await send(page);
    await page.getByRole("button", { name: "Stop" }).click();
    assert.equal(await note(page).textContent(), "Stopped.");
    await close();
});

test("nobody but the chosen provider can be reached, by courier or page", async () => {
    const chosen = await provider((_, response) => response.end("{}"));
    const other = await provider((_, response) => response.end("{}"));
    const { page, close } = await panel();
    const tries = await page.evaluate(async ([to, elsewhere]) => {
        const carry = (url) => new Promise((resolve) => {
            const courier = new Worker(`courier.js?to=${to}`);
            courier.onmessage = ({ data }) => data.kind !== "piece" && data.kind !== "head" && resolve(data.kind);
            courier.onerror = () => resolve("no courier");
            courier.postMessage({ url, method: "GET", headers: {} });
        });
        const byPage = await fetch(to).then(() => "reached", () => "refused");
        return { chosen: await carry(to), other: await carry(elsewhere), byPage };
    }, [chosen.address, other.address]);
    assert.deepEqual(tries, { chosen: "end", other: "lost", byPage: "refused" });
    assert.deepEqual([chosen.all, other.all], [["GET /"], []]);
    await assert.rejects(close(), /Content Security Policy|Content-Security-Policy/);
});

test("model lists are fetched when asked for", async () => {
    const double = await provider((_, response) => response.end('{"data":[{"id":"gpt-9"},{"id":"whisper"}]}'));
    const { page, close } = await panel();
    await choose(page, "openai", { key: "k", url: `${double.address}/v1` });
    await page.getByRole("button", { name: "List models" }).click();
    await page.getByText("1 models").waitFor();
    assert.equal(await page.locator("#ai-model").inputValue(), "gpt-9");
    assert.deepEqual([double.seen[0].method, double.seen[0].url, double.seen[0].headers], ["GET", "/v1/models", { authorization: "Bearer k" }]);
    await close();
});

test("keys are no passwords to the browser, can be shown, and are kept only on wish", async () => {
    const { page, close } = await panel();
    await choose(page, "openai", { key: "sk-secret" });
    const key = page.locator("#ai-openai-key");
    assert.equal(await key.getAttribute("type"), "text");
    assert.equal(await key.evaluate((element) => getComputedStyle(element).webkitTextSecurity), "disc");
    await page.getByRole("button", { name: "Show API key" }).click();
    assert.equal(await key.evaluate((element) => getComputedStyle(element).webkitTextSecurity), "none");
    const stored = () => page.evaluate(() => JSON.stringify(localStorage));
    assert.doesNotMatch(await stored(), /sk-secret/);
    await page.getByLabel("keep my keys").check();
    assert.match(await stored(), /sk-secret/);
    await page.reload();
    await page.locator(".ai > summary").click();
    assert.equal(await page.locator("#ai-openai-key").inputValue(), "sk-secret");
    await page.getByLabel("keep my keys").uncheck();
    assert.doesNotMatch(await stored(), /sk-secret/);
    await close();
});

test("keys of the environment are used, shown to nobody and kept nowhere", async () => {
    const double = await provider((_, response) => response.end(chat(CODE)));
    const keyed = await view(["--api-keys-from-env", writeProfile(memory())], { OPENAI_API_KEY: "sk-environment" });
    const { page, close } = await panel({ address: keyed.address });
    await page.locator("#ai-openai-key[placeholder='from OPENAI_API_KEY']").waitFor();
    assert.equal(await page.locator("#ai-provider").inputValue(), "openai");
    await page.getByLabel("show the answer as it comes").uncheck();
    await page.locator("#ai-openai-url").fill(double.address);
    await page.getByLabel("keep my keys").check();
    await send(page);
    await page.getByText("Copy as a patch").waitFor();
    assert.equal(double.seen[0].headers.authorization, "Bearer sk-environment");
    assert.doesNotMatch(await page.content(), /sk-environment/);
    assert.doesNotMatch(await page.evaluate(() => JSON.stringify(localStorage)), /sk-environment/);
    await close();
});

test("an answer cannot be more than text", async () => {
    const evil = "<img src=x onerror=window.harmed=1> <script>window.harmed=1</script>\n```python\n</pre><script>window.harmed=1</script>\n```";
    const double = await provider((_, response) => response.end(chat(evil)));
    const { page, close } = await panel();
    await page.getByLabel("show the answer as it comes").uncheck();
    await choose(page, "openai", { key: "k", url: double.address }, "m");
    await send(page);
    await page.getByText("Copy as a patch").waitFor();
    assert.match(await page.locator(".ai-remarks").textContent(), /<img src=x/);
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    await close();
});

for (const colorScheme of ["light", "dark"])
    test(`axe finds nothing to complain about in the panel (${colorScheme})`, async () => {
        const double = await provider((_, response) => response.end(chat(`Better:\n${CODE}`)));
        const { page, close } = await panel({ colorScheme, bypassCSP: true });
        await page.getByLabel("show the answer as it comes").uncheck();
        await choose(page, "openai", { key: "k", url: double.address }, "m");
        await page.locator(".ai-preview > summary").click();
        await send(page);
        await page.getByText("Copy as a patch").waitFor();
        await page.evaluate(readFileSync(AXE, "utf8"));
        const { violations } = await page.evaluate(() => window.axe.run(".ai", { resultTypes: ["violations"] }));
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`), []);
        await close();
    });

test("a page in a file asks nobody, and offers the question", async () => {
    const { page, close } = await open(memory(), { permissions: [] });
    await page.locator("button.line", { hasText: /^22$/ }).click();
    await page.locator(".ai > summary").click();
    await page.getByText("can send nothing").waitFor();
    assert.equal(await page.locator("#ai-provider, .ai-send").count(), 0);
    assert.match(await page.locator("#ai-question").inputValue(), /matrix @ matrix/);
    await close();
});

test("the server ends by itself after the last page was closed, and not before", async () => {
    const short = await view(["--linger", "1", writeProfile(memory())]);
    const { page, close } = await openUrl(short.address, { allow: (url) => url.startsWith(short.address) });
    await page.locator("button.line").first().waitFor();
    await page.reload();
    await page.waitForTimeout(2500);
    assert.equal(short.child.exitCode, null);
    await close();
    const [status] = short.child.exitCode === null ? await once(short.child, "exit") : [short.child.exitCode];
    assert.equal(status, 0);
});
