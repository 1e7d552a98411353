// SPDX-License-Identifier: Apache-2.0
// A thread, a process, a stretch of the run alone: on profiles that build/scalene makes here and now.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { memory } from "./profiles.mjs";
import { open, ROOT, runProgram, texts } from "./page.mjs";

const UNIT_S = "0.4";
let made = {};

/** The profile of a program of test/programs/parts, made once. */
function profileOf(name) {
    const path = join(ROOT, "test/programs/parts", `${name}.py`);
    made[name] ??= runProgram(path, UNIT_S);
    return { profile: made[name], path, lines: readFileSync(path, "utf8").split("\n") };
}

/** Seconds by line of the cells that are wanted. */
function secondsByLine(profile, wanted) {
    const { parts, sites } = profile.scalene.timeline;
    const sums = new Map();
    parts.forEach((part, i) => part.cells.forEach(([slice, site, , us]) => {
        if (wanted(part, i, slice)) sums.set(sites[site][1], (sums.get(sites[site][1]) ?? 0) + us / 1e6);
    }));
    return sums;
}

/** The page's rows of lines with a share: line number to percent. */
async function sharesByLine(page) {
    await page.keyboard.press("1");
    await page.locator("#mode").selectOption("lines");
    await page.locator('main[aria-busy="false"] .row').first().waitFor();
    const rows = await page.locator(".row").evaluateAll((all) => all.map((row) => [row.querySelector(".c-line").textContent, row.querySelector(".c-time").textContent]));
    return new Map(rows.filter(([, time]) => time).map(([line, time]) => [Number(line), Number(time.replace(/[~%<]/g, ""))]));
}

/** What the page shows is what the cells say, to the percent that is printed. */
async function assertShown(page, sums) {
    const all = [...sums.values()].reduce((a, b) => a + b, 0);
    const shown = await sharesByLine(page);
    assert.ok(all > 0 && shown.size > 0);
    for (const [line, s] of sums) if (s / all >= 0.02) assert.ok(Math.abs((shown.get(line) ?? -9) - (100 * s) / all) <= 1.01, `line ${line}: ${shown.get(line)}% of ${(100 * s) / all}`);
    for (const line of shown.keys()) assert.ok(sums.has(line), `line ${line} is not of this selection`);
}

/** Who calls a line, as its detail says. */
async function callersOf(page, place) {
    await page.locator(`button.line[data-place="${place}"]`).click();
    const callers = page.locator(".facts-block", { hasText: "Called from" });
    await callers.waitFor();
    const text = await callers.textContent();
    await page.keyboard.press("Escape");
    return text;
}

const flameNames = async (page) => {
    await page.getByRole("link", { name: "Flame", exact: true }).click();
    await page.locator('main[aria-busy="false"] .plain tbody tr').first().waitFor();
    return texts(page, ".plain tbody td:nth-child(3)");
};

test("one thread of our own profile is seen alone: lines, totals, flame chart, link", async () => {
    const { profile } = profileOf("threads");
    const part = profile.scalene.timeline.parts.findIndex(({ name }) => name === "second");
    const sums = secondsByLine(profile, (_, i) => i === part);
    const { page, close } = await open(profile, { hash: "#tab=processes" });
    await page.getByRole("button", { name: "Only this: second" }).click();
    assert.equal(await page.locator(".chosen bdi").textContent(), "second");
    await assertShown(page, sums);
    const names = await flameNames(page);
    assert.ok(names.includes("squeeze") && !names.includes("loop"), names.join());
    const cpuS = [...sums.values()].reduce((a, b) => a + b, 0);
    assert.ok(cpuS > 0.3 && cpuS < 0.6, `${cpuS}`);
    await page.reload();
    await page.locator(".chosen").waitFor();
    await assertShown(page, sums);
    await page.getByRole("button", { name: "Show all" }).click();
    await page.locator(".chosen").waitFor({ state: "detached" });
    await assertShown(page, secondsByLine(profile, () => true));
    await close();
});

test("a forked process is seen alone, though its threads have the numbers of its parent's", async () => {
    const { profile, lines } = profileOf("forks");
    const { processes } = profile.scalene;
    assert.equal(processes.length, 3);
    assert.equal(new Set(processes.map(({ threads }) => threads.find((thread) => thread.main).ident)).size, 1);
    const { page, close } = await open(profile, { hash: "#tab=processes" });
    for (const [number, [own, foreign]] of [["parent_work", "child_work"], ["child_work", "grandchild_work"], ["grandchild_work", "parent_work"]].entries()) {
        const { pid } = processes[number];
        await page.getByRole("link", { name: "Processes", exact: true }).click();
        await page.getByRole("button", { name: `Only this: process ${pid}` }).click();
        await page.locator(".chosen bdi", { hasText: `process ${pid}` }).waitFor();
        assert.match(page.url(), new RegExp(`process=${pid}`));
        await assertShown(page, secondsByLine(profile, (part) => part.process === number));
        const callers = await callersOf(page, `forks.py:${lines.findIndex((line) => line.includes("total += i * i")) + 1}`);
        assert.ok(callers.includes(own) && !callers.includes(foreign), callers);
        const names = await flameNames(page);
        assert.ok(names.includes(own) && !names.includes(foreign), `${pid}: ${names}`);
    }
    await close();
});

/** Where a thread's time begins and ends, in seconds. */
function spanOf(profile, name) {
    const { parts, slice_seconds: sliceS } = profile.scalene.timeline;
    const slices = parts.find((part) => part.name === name).cells.map(([slice]) => slice).filter((slice) => slice !== null);
    return [Math.min(...slices) * sliceS, (Math.max(...slices) + 1) * sliceS];
}

test("a part of the timeline is dragged over and seen alone", async () => {
    const { profile, lines } = profileOf("threads");
    const { page, close } = await open(profile, { hash: "#tab=timeline" });
    const canvas = page.locator(".lanes canvas");
    await canvas.waitFor();
    const names = await texts(page, ".lanes li");
    for (const name of ["first", "second", "third"]) assert.ok(names.includes(name), names.join());
    const [from, to] = spanOf(profile, "second");
    const { x, y, width } = await canvas.boundingBox();
    const lengthS = Math.max(profile.scalene.timeline.length_seconds, profile.elapsed_time_sec);
    const middle = (from + to) / 2;
    // The middle half of the second thread's time: nobody else did anything.
    await page.mouse.move(x + (width * (middle - (to - from) / 4)) / lengthS, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + (width * (middle + (to - from) / 4)) / lengthS, y + 10, { steps: 4 });
    await page.mouse.up();
    await page.locator(".chosen").waitFor();
    const shown = await sharesByLine(page);
    const squeeze = lines.findIndex((line) => line.includes("zlib.compress")) + 1;
    assert.ok(shown.get(squeeze) >= 90, JSON.stringify([...shown]));
    const loop = lines.findIndex((line) => line.includes("total += i * i")) + 1;
    assert.ok(!(shown.get(loop) > 1), JSON.stringify([...shown]));
    const flame = await flameNames(page);
    assert.ok(flame.includes("squeeze"), flame.join());
    await page.keyboard.press("Escape");
    await page.locator(".chosen").waitFor({ state: "detached" });
    await close();
});

test("a thread and a part of the run together", async () => {
    const { profile } = profileOf("threads");
    const part = profile.scalene.timeline.parts.findIndex(({ name }) => name === "first");
    const [from, to] = spanOf(profile, "first");
    const hash = `#threads=${part}&from=${from.toFixed(3)}&to=${to.toFixed(3)}`;
    const { page, close } = await open(profile, { hash });
    await page.locator(".chosen", { hasText: /Only first, / }).waitFor();
    await assertShown(page, secondsByLine(profile, (_, i) => i === part));
    await close();
});

test("small moments that are put together are shown by when they were", async () => {
    const { page, close } = await open(memory(), { hash: "#from=1.28&to=2.56" });
    await page.locator(".chosen").waitFor();
    // Lines 21 and 28 have no slice; the rest says that all of it was in the second.
    const shown = await sharesByLine(page);
    assert.ok(shown.has(21) && shown.has(22) && shown.has(23) && !shown.has(12), JSON.stringify([...shown]));
    await close();
});

test("a timeline of any kind is survived", async () => {
    const profile = memory();
    const { timeline } = profile.scalene;
    timeline.parts[0].cells.push([9e9, 0, 0, 1, 1], [0, 99, 0, 1, 1], ["x", {}, null], 7, [0, 0, 9, -5, "n"]);
    Object.assign(timeline.parts[1], { process: "none", name: 5, rest: 3, waits: [[0, "love", 1], null] });
    timeline.sites.push([77, "a", null, 1e9], 4);
    timeline.files.push(null);
    for (const hash of ["#threads=0", "#process=1&from=a", "#threads=x,77&to=2"]) {
        const { page, close } = await open(profile, { hash });
        for (const tab of await page.locator(".tab-list a").all()) await tab.click();
        await page.locator(".view, .table").first().waitFor();
        await close();
    }
});
