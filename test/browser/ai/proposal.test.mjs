// SPDX-License-Identifier: Apache-2.0
// The question in words, the answer as code, the difference between old and new.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { makePrompt, readProposal, diffLines, patchText, previewOf, providers } =
    await load("prompt", "proposal", "diff", "preview", "providers/index");

const facts = {
    python: 40.04, native: 1, system: 0.2, coreUtilization: 0.25, peakMb: 183.4, allocMb: 412, liveMb: 9, pythonFraction: 0.75,
    copyMbS: 96, gpuPercent: 12, leakMbS: 0,
};
const context = {
    kind: "region", path: "/home/me/solve.py", firstLine: 12, lastLine: 13, code: "    for x in xs:\n        total += x", before: "def f(xs):\n    total = 0",
    imports: ["import math"], facts,
};
const profile = { program: "solve.py", pythonVersion: "3.12.1", elapsedS: 4.44, cpus: 8, hasGpu: true, peakMb: 200 };
const wish = (goal, useGpu = false) => makePrompt(context, profile, { goal, useGpu });

test("the measured facts are in the question", () => {
    const { user } = wish("time");
    for (const part of ["lines 12 to 13 of solve.py", "Python 3.12.1", "41.2% of the program's time of 4.44 s", "40.0% in Python code", "1.0% in native code",
        "0.2% in the system", "25.0% of the machine's 8 cores", "held 183 MB at its peak, 75.0% of it Python objects", "the program's peak was 200 MB",
        "allocated 412 MB", "9.0 MB still alive", "copied 96.0 MB a second", "import math", context.code, context.before])
        assert.ok(user.includes(part), part);
    assert.ok(!user.includes("leak"));
    assert.ok(!user.includes("/home/me"), "where the file lies is nobody's business");
});

test("what was not measured is not mentioned", () => {
    const bare = { ...context, before: "", imports: [], facts: { ...facts, peakMb: 0, allocMb: 0, copyMbS: 0, coreUtilization: 0 } };
    const { user } = makePrompt(bare, { ...profile, pythonVersion: "" }, { goal: "time", useGpu: true });
    assert.doesNotMatch(user, /peak|allocated|copied|cores|imports|before it|\(Python/);
});

test("the goal has an effect on the question", () => {
    const time = wish("time"), memory = wish("memory");
    assert.notEqual(time.system, memory.system);
    assert.match(time.user, /Make this faster/);
    assert.match(memory.user, /Make this need less memory/);
    assert.ok(time.user.indexOf("program's time") < time.user.indexOf("at its peak"));
    assert.ok(memory.user.indexOf("program's time") > memory.user.indexOf("at its peak"));
});

test("the GPU is mentioned only on wish", () => {
    assert.doesNotMatch(wish("time").user, /GPU|CuPy/);
    assert.match(wish("time", true).user, /the GPU was busy for 12\.0%[\s\S]*CuPy/);
});

test("code is taken out of an answer and put where the old stood", () => {
    const answer = "Summing in C is faster.\n\n```python\ntotal += sum(xs)\n\nif total:\n    pass\n```\nEnjoy.";
    assert.deepEqual(readProposal(answer, context.code),
        { code: "    total += sum(xs)\n\n    if total:\n        pass", remarks: "Summing in C is faster.\n\nEnjoy." });
    assert.equal(readProposal("```\n        deep()\n    less()\n```", "x = 1").code, "    deep()\nless()");
    assert.equal(readProposal("```py\nx\n```\n```py\ny\n```", "").code, "x");
    assert.equal(readProposal("a\n```python\nx = '```'\ny\n```\n", "").code, "x = '```'\ny");
    assert.equal(readProposal("   ```python\n   x\n   ```", "").code, "x");
    assert.equal(readProposal("```python\r\nx\r\n```\r\n", "").code, "x");
});

test("an answer that still grows is shown as far as it goes; one without code is words", () => {
    assert.equal(readProposal("So:\n```python\ntotal = su", "").code, "total = su");
    assert.deepEqual(readProposal("Nothing to be gained.", ""), { code: null, remarks: "Nothing to be gained." });
    assert.equal(readProposal("```python\n```", "").code, null);
    assert.equal(readProposal("So:\n```pyth", "").code, null);
});

test("the difference leads from the old to the new, and is short", () => {
    const old = "a\nb\nc\nd", fresh = "a\nx\nc\nd\ne";
    const lines = diffLines(old, fresh);
    assert.deepEqual(lines.map(({ kind, text }) => kind[0] + text), ["sa", "gb", "nx", "sc", "sd", "ne"]);
    const side = (kind) => lines.filter((line) => line.kind !== kind).map((line) => line.text).join("\n");
    assert.equal(side("new"), old);
    assert.equal(side("gone"), fresh);
    assert.equal(patchText("f.py", 7, lines), "--- f.py\n+++ f.py\n@@ -7,4 +7,5 @@\n a\n-b\n+x\n c\n d\n+e\n");
    assert.ok(diffLines("a", "a").every(({ kind }) => kind === "same"));
});

test("the preview is the request without the keys", () => {
    for (const provider of providers) {
        const settings = Object.fromEntries(provider.fields.map((field) => [field.name, field.isSecret ? "SECRET" : field.name === "url" ? "https://h.example" : "v"]));
        const text = previewOf(provider, { settings, model: "m", prompt: { system: "SYSTEM", user: "USER" }, isStreamed: true });
        assert.match(text, /^POST https:\/\/h\.example\//);
        assert.ok(text.includes("SYSTEM") && text.includes("USER"));
        assert.ok(!text.includes("SECRET"), provider.id);
        if (provider.fields.some((field) => field.isSecret)) assert.match(text, /your key/);
    }
});
