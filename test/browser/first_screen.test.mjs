// SPDX-License-Identifier: Apache-2.0
// The first screen, the empty page, and getting profiles in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, openUrl, texts, writePage, writeProfile } from "./page.mjs";
import { memory, solver, upstream } from "./profiles.mjs";

test("what ran, how long, on what, and the peak of memory", async () => {
    const { page, close } = await open(memory());
    assert.equal(await page.title(), "scalene solver.py");
    assert.match(await page.locator(".program").textContent(), /solver\.py --size 512/);
    assert.deepEqual(await texts(page, ".facts span"), ["4.44 s", "0.8 cores", "CPython 3.12.1", "3,492 samples"]);
    assert.equal(await page.locator(".memory-chart .peak text").textContent(), "183 MB");
    assert.match(await page.locator("#card-memory ~ .fact").last().textContent(), /peak 183 MB at 4\.10 s, grows by 36 MB\/s/);
    assert.ok((await texts(page, "#card-time ~ .fact")).includes("not measured: 3 ring full"));
    await close();
});

test("a finding leads to its line, opened", async () => {
    const { page, close } = await open(memory());
    await page.locator(".finding").nth(2).click();
    await page.locator(".detail").waitFor();
    assert.match(page.url(), /at=solver\.py%3A12/);
    assert.match(await page.locator(".detail").textContent(), /leaks36 MB\/s \(±1\.5 MB\), 160 MB live, \d+% likely/);
    await close();
});

test("too few samples are not ranked", async () => {
    const profile = solver();
    profile.scalene.samples = 12;
    profile.scalene.idle_looks = 0;
    const { page, close } = await open(profile);
    assert.match(await page.locator(".findings-card").textContent(), /Too few samples/);
    assert.equal(await page.locator(".finding").count(), 0);
    await close();
});

test("rows with too few samples say so", async () => {
    const profile = solver();
    const [row] = profile.files["/home/ann/solve/solver.py"].lines.filter((one) => one.lineno === 23);
    row.cpu_samples = 4;
    row.idle_looks = 0;
    const { page, close } = await open(profile);
    const unsure = page.locator(".row.unsure", { hasText: "total = f" });
    assert.match(await unsure.locator(".c-time").textContent(), /^~26%$/);
    assert.equal(await unsure.locator(".c-error").textContent(), "n=4");
    await close();
});

test("an empty profile asks for a file, and shows the one it is given", async () => {
    const { page, close } = await open({});
    await page.getByText("No profile yet").waitFor();
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open a profile" }).click();
    await (await choosing).setFiles(writeProfile(memory()));
    await page.locator(".finding").first().waitFor();
    assert.equal(await page.title(), "scalene solver.py");
    await close();
});

test("a file that is no profile is refused in one sentence, and nothing else changes", async () => {
    const { page, close } = await open(memory());
    for (const [text, words] of [["not json", /This is not JSON/], ["[1, 2]", /not a profile/], ['{"files": 3}', /no “files”/]]) {
        const choosing = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: "Open", exact: true }).click();
        await (await choosing).setFiles(writeProfile(text));
        await page.locator(".trouble", { hasText: words }).waitFor();
        assert.equal(await page.locator(".finding").count(), 5);
    }
    await close();
});

test("upstream's profile opens", async () => {
    const { page, close } = await open(upstream());
    assert.match(await page.locator(".program").textContent(), /solver\.py --size 512$/);
    assert.match(await page.locator("#card-memory ~ .fact").last().textContent(), /growth rate/);
    assert.match(await page.locator(".finding").first().locator(".words").textContent(), /^44% of the time, native/);
    await close();
});

test("values of any kind are survived", async () => {
    const profile = memory();
    const [file] = Object.values(profile.files);
    Object.assign(file.lines[11], { n_cpu_percent_python: "many", n_peak_mb: -4, n_sys_percent: 1e300, waits: 7, memory_samples: [[1], null, ["a", {}]], line: 12 });
    Object.assign(profile, { samples: "x", args: 5, combined_stacks: [null, [1, 2], [[{}], "n"]], memory_stacks: {}, combined_stacks_timeline: [{ t_sec: 1, stack_index: 99 }, 4] });
    profile.scalene.processes = [null, { threads: 3 }];
    const { page, close } = await open(profile);
    for (const tab of await page.locator(".tab-list a").all()) await tab.click();
    await page.locator(".view, .table").first().waitFor();
    await close();
});

test("the page asks nobody for anything, whatever is clicked", async () => {
    const { page, close } = await openUrl(`file://${writePage(memory())}`, { offline: true });
    for (const tab of await page.locator(".tab-list a").all()) await tab.click();
    await page.keyboard.press("1");
    await page.locator("button.line").first().click();
    await page.locator(".detail h3").first().waitFor();
    await close();
});
