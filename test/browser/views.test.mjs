// SPDX-License-Identifier: Apache-2.0
// Flame charts, timeline, threads, waits, comparison.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, texts } from "./page.mjs";
import { memory, solver, timeline } from "./profiles.mjs";

test("the flame chart zooms, goes back, and finds", async () => {
    const { page, close } = await open(timeline(), { hash: "#tab=flame" });
    const canvas = page.locator(".flame canvas");
    await canvas.waitFor();
    const box = await canvas.boundingBox();
    const zoomed = () => page.locator("[data-zoom]").getAttribute("data-zoom");
    assert.equal(await zoomed(), "all");
    // The second row from the left is <module>, below it the dearest callee.
    await canvas.click({ position: { x: 20, y: 50 } });
    assert.equal(await zoomed(), "Solver.solve");
    await canvas.click({ position: { x: box.width - 20, y: 70 } });
    assert.equal(await zoomed(), "dgemm");
    await page.getByRole("button", { name: "Zoom out" }).click();
    assert.equal(await zoomed(), "Solver.solve");
    await page.getByRole("button", { name: "Reset" }).click();
    assert.equal(await zoomed(), "all");
    await page.locator("#search").fill("dgemm");
    await page.getByText("1 frame found").waitFor();
    assert.deepEqual(await texts(page, ".plain tbody td:nth-child(3)"), ["dgemm native"]);
    await close();
});

test("the flame chart has keys, and says where one is", async () => {
    const { page, close } = await open(timeline(), { hash: "#tab=flame" });
    await page.locator(".flame canvas").focus();
    for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    assert.equal(await page.locator("[data-zoom]").getAttribute("data-zoom"), "Solver.solve");
    assert.match(await page.locator(".inspector").textContent(), /Solver\.solve 60\.0%, 600 samples.*solver\.py:22/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("[data-zoom]").getAttribute("data-zoom"), "all");
    await page.getByRole("button", { name: "show the line" }).click();
    await page.locator(".row.open").waitFor();
    await close();
});

test("itself and total add up, recursion counts once", async () => {
    const profile = memory();
    const frame = (name) => ({ display_name: name, filename_or_module: "/a.py", ip: null, kind: "py", line: 1, offset: null });
    profile.combined_stacks = [[["main", "f", "f", "f"].map(frame), 30], [["main"].map(frame), 10]];
    const { page, close } = await open(profile, { hash: "#tab=flame" });
    await page.locator(".plain tbody tr").first().waitFor();
    assert.deepEqual(await texts(page, ".plain tbody tr:nth-child(1) td"), ["75%", "75%", "f", "a.py"]);
    assert.deepEqual(await texts(page, ".plain tbody tr:nth-child(2) td"), ["25%", "100%", "main", "a.py"]);
    await close();
});

test("memory has a flame chart of its own", async () => {
    const { page, close } = await open(memory(), { hash: "#tab=flame" });
    await page.getByRole("button", { name: "Memory", exact: true }).click();
    await page.getByText("What each function allocated").waitFor();
    assert.match(await page.locator(".inspector").textContent(), /all 100\.0%, .* MB/);
    assert.match(page.url(), /flame=memory/);
    await close();
});

test("a range of the timeline narrows everything to it", async () => {
    const { page, close } = await open(timeline(), { hash: "#tab=timeline" });
    const canvas = page.locator(".lanes canvas");
    await canvas.waitFor();
    assert.deepEqual(await texts(page, ".lanes li"), ["MainThread", "worker"]);
    const { x, y, width } = await canvas.boundingBox();
    // The first third of the run: the main thread alone, on one line.
    await page.mouse.move(x + 2, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.3, y + 10);
    await page.mouse.up();
    await page.locator(".chosen").waitFor();
    await page.keyboard.press("1");
    await page.locator(".row .c-time", { hasText: "100%" }).waitFor();
    assert.deepEqual(await texts(page, ".finding .place b"), ["solver.py:22"]);
    await page.getByRole("button", { name: "Show all" }).click();
    await page.locator(".finding").nth(3).waitFor();
    await close();
});

test("one thread can be looked at alone", async () => {
    const { page, close } = await open(timeline(), { hash: "#tab=processes" });
    await page.getByRole("button", { name: "Only this: worker" }).click();
    await page.keyboard.press("1");
    await page.locator(".row .c-time", { hasText: "100%" }).waitFor();
    assert.deepEqual(await texts(page, ".finding .place b"), ["solver.py:23"]);
    await page.reload();
    await page.locator(".row .c-time", { hasText: "100%" }).waitFor();
    await close();
});

test("waits by kind, by line, and who held the GIL", async () => {
    const { page, close } = await open(memory(), { hash: "#tab=waits" });
    const text = (await texts(page, ".view")).join(" ");
    for (const words of ["lock4.20 s", "sleep320 ms", "gil310 ms", "290 ms"]) assert.ok(text.includes(words), text);
    await page.locator(".plain", { hasText: "GIL" }).getByRole("button", { name: "solver.py:22" }).click();
    await page.locator(".row.open", { hasText: "matrix @" }).waitFor();
    await close();
});

test("two profiles are compared, found again by their text", async () => {
    const before = solver();
    const after = solver();
    const [file] = Object.values(after.files);
    // Two lines more at the top, and one line that got three times as dear.
    for (const row of [...file.lines, ...file.functions])
        for (const key of ["lineno", "start_function_line", "end_function_line"]) row[key] &&= row[key] + 2;
    Object.assign(file.lines.find((row) => row.lineno === 24), { cpu_seconds_native: 5 });
    Object.assign(file.functions.find((row) => row.line.includes("solve")), { cpu_seconds_native: 5.5 });
    const { page, close } = await open(after, { compare: before });
    await page.getByRole("link", { name: "Compare", exact: true }).click();
    const first = () => page.locator(".compare tbody tr").first();
    assert.match(await first().textContent(), /Solver\.solve/);
    await page.getByRole("button", { name: "lines", exact: true }).click();
    assert.match(await first().textContent(), /\+.*solver\.py:24.*matrix = matrix @/);
    assert.equal(await page.locator(".compare tbody tr .worse").count(), 1);
    await close();
});

test("a profile to compare with can be opened on the page", async () => {
    const { page, close } = await open(memory());
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await (await choosing).setFiles({ name: "before.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(memory())) });
    await page.getByText("before.json").waitFor();
    assert.ok((await texts(page, ".view .num")).includes("±0"));
    await close();
});
