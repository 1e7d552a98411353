// SPDX-License-Identifier: Apache-2.0
// The table of lines: sorting, modes, filter, columns, details, links, keys, and many lines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, texts } from "./page.mjs";
import { large, line, memory, profileOf, timeline } from "./profiles.mjs";

const lineNumbers = async (page) => (await texts(page, ".row .c-line")).map(Number);

test("a click on a heading sorts, the next one the other way round, “line” undoes it", async () => {
    const { page, close } = await open(memory());
    const before = await lineNumbers(page);
    await page.getByRole("button", { name: /^time:/ }).click();
    const first = () => page.locator(".row .c-time").first().textContent();
    assert.equal(await first(), "44%");
    assert.equal(await page.getByRole("columnheader", { name: /^time:/ }).getAttribute("aria-sort"), "descending");
    await page.getByRole("button", { name: /^time:/ }).click();
    assert.notEqual(await first(), "44%");
    await page.getByRole("button", { name: /^mem:/ }).click();
    assert.equal(await page.locator(".row .c-mem").first().textContent(), "160M");
    await page.getByRole("button", { name: "line", exact: true }).click();
    assert.deepEqual(await lineNumbers(page), before);
    await close();
});

test("modes show more or fewer lines", async () => {
    const { page, close } = await open(memory());
    const count = async (mode) => {
        await page.locator("#mode").selectOption(mode);
        return (await lineNumbers(page)).length;
    };
    assert.equal(await count("all"), 35);
    const [lines, functions, hot] = [await count("lines"), await count("functions"), await count("hot")];
    assert.ok(lines < hot && hot < functions && functions < 35, `${lines} ${hot} ${functions}`);
    await close();
});

test("a gap opens into its lines", async () => {
    const { page, close } = await open(memory());
    const before = await lineNumbers(page);
    await page.locator(".gap button").first().click();
    const after = await lineNumbers(page);
    assert.deepEqual(after.slice(0, 9), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.ok(after.length > before.length);
    await close();
});

test("search finds code, functions and files", async () => {
    const { page, close } = await open(memory());
    await page.keyboard.press("/");
    await page.keyboard.type("np.eye");
    assert.deepEqual(await lineNumbers(page), [19]);
    await page.locator("#search").fill("solver.solve");
    // The lines of the function, and the one that calls it.
    const found = await lineNumbers(page);
    assert.ok(found.includes(22) && found.every((number) => (number >= 18 && number <= 24) || number === 32), `${found}`);
    await page.locator("#search").fill("nowhere to be found");
    await page.getByText("Nothing matches").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#search").inputValue(), "");
    await close();
});

test("columns can be shown and hidden, and stay in the address", async () => {
    const { page, close } = await open(memory());
    await page.locator(".menu summary").click();
    await page.getByRole("checkbox", { name: /^seconds/ }).check();
    await page.getByRole("checkbox", { name: /^copy/ }).uncheck();
    assert.match(await page.locator(".row", { hasText: "matrix @" }).locator(".c-seconds").textContent(), /^1\.\d{3}$/);
    assert.match(page.url(), /columns=seconds%2C-copy/);
    assert.equal(await page.locator(".c-copy").count(), 0);
    await close();
});

test("a row opens into all that is known of its line", async () => {
    const { page, close } = await open(timeline());
    await page.locator(".row", { hasText: "matrix @" }).locator("button.line").click();
    const detail = page.locator(".detail");
    await detail.getByText("Native functions").waitFor();
    const text = await detail.textContent();
    for (const words of ["matrix = matrix @ matrix / self.size", "of the time", "95% within", "dgemm", "Called from", "<module>", "Around it: lines", "at the program's peak"])
        assert.ok(text.includes(words), `${words} is not in ${text}`);
    assert.equal(await detail.getByRole("link", { name: "Open in editor" }).getAttribute("href"), "vscode://file/home/ann/solve/solver.py:22");
    await close();
});

test("inside an editor a line is shown by a message", async () => {
    const { page, close } = await open(memory(), { hash: "#at=solver.py%3A22" });
    await page.evaluate(() => { window.acquireVsCodeApi = () => ({ postMessage: (message) => { window.told = message; } }); });
    await page.getByRole("link", { name: "Open in editor" }).click();
    assert.deepEqual(await page.evaluate(() => window.told), { command: "jumpToLine", filePath: "/home/ann/solve/solver.py", lineNumber: 22 });
    await close();
});

test("a link brings one to the same line, mode and order", async () => {
    const { page, close } = await open(memory(), { hash: "#mode=all&at=solver.py%3A23&columns=samples" });
    await page.locator(".row.open", { hasText: "total = f" }).waitFor();
    assert.equal(await page.locator("#mode").inputValue(), "all");
    assert.ok(await page.locator(".c-samples").count());
    assert.ok(await page.locator(".row.open").evaluate((row) => row.getBoundingClientRect().top > 0 && row.getBoundingClientRect().bottom < innerHeight));
    await close();
});

test("an address of nonsense shows the usual page", async () => {
    const { page, close } = await open(memory(), { hash: "#tab=%E0%A4&mode=xyz&sort=__proto__&at=:::&from=abc&threads=,,x" });
    assert.ok((await lineNumbers(page)).length > 5);
    await close();
});

test("the keyboard does it all", async () => {
    const { page, close } = await open(memory());
    const focused = () => page.evaluate(() => document.activeElement.dataset.place);
    await page.keyboard.press("j");
    const first = await focused();
    await page.keyboard.press("j");
    assert.notEqual(await focused(), first);
    await page.keyboard.press("k");
    assert.equal(await focused(), first);
    await page.keyboard.press("Enter");
    await page.locator(".detail").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".detail").waitFor({ state: "detached" });
    await page.keyboard.press("n");
    await page.locator(".row.open", { hasText: "matrix @" }).waitFor();
    await page.keyboard.press("m");
    assert.equal(await page.locator("#mode").inputValue(), "functions");
    await page.keyboard.press("f");
    await page.locator(".flame canvas").waitFor();
    await page.keyboard.press("2");
    assert.match(page.url(), /tab=functions/);
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.goBack();
    await page.locator(".flame canvas").waitFor();
    await close();
});

test("dark and light follow the system until told otherwise", async () => {
    const { page, close } = await open(memory(), { colorScheme: "dark" });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await background(), "rgb(20, 23, 27)");
    await page.keyboard.press("d");
    assert.equal(await background(), "rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("button", { name: /^Theme/ }).click();
    await page.getByRole("button", { name: "Theme: Auto" }).waitFor();
    await close();
});

test("of many lines only those on the screen are in the page", async () => {
    const { page, close } = await open(large(20_000), { hash: "#mode=all" });
    assert.ok((await page.locator(".row").count()) < 150);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.locator(".row .c-line", { hasText: /^2000$/ }).waitFor();
    assert.ok((await page.locator(".row").count()) < 150);
    await close();
});

test("code is coloured by its grammar, also over several lines", async () => {
    const code = ['text = """first', "def not_code(): # neither", '"""', "def real(x):  # a remark", "    return 'a' if x else None"];
    const { page, close } = await open(profileOf({ "/p.py": code.map((text, i) => line(i + 1, text, { n_cpu_percent_python: 9, cpu_samples: 50 })) }));
    const classes = (text) => page.locator(".row", { hasText: text }).locator("code span").evaluateAll((spans) => spans.map((span) => `${span.className} ${span.textContent}`));
    assert.deepEqual(await classes("not_code"), ["t-str def not_code(): # neither"]);
    assert.deepEqual(await classes("real"), ["t-key def", "t-def real", "t-com # a remark"]);
    await close();
});

test("what stands out is the number that is large", async () => {
    const lines = [line(1, "work()", { n_cpu_percent_python: 60, cpu_samples: 500 }), line(2, "b'a' * n", { n_cpu_percent_python: 4, cpu_samples: 50, n_usage_fraction: 0.9, n_malloc_mb: 50 })];
    const { page, close } = await open({ ...profileOf({ "/p.py": lines }), memory: true });
    const classes = await page.locator(".row").evaluateAll((rows) => rows.slice(0, 2).map((row) => [row.classList.contains("hot"), row.classList.contains("greedy")]));
    assert.deepEqual(classes, [[true, false], [false, true]]);
    await close();
});

test("a phone shows the shares beside the code", async () => {
    const { page, close } = await open(memory(), { viewport: { width: 390, height: 844 } });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    await page.locator(".table").evaluate((table) => table.scrollIntoView());
    await page.locator(".row.hot .c-time").first().waitFor();
    await close();
});

test("print has the rows and none of the buttons", async () => {
    const { page, close } = await open(memory());
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".tools").isVisible(), false);
    assert.ok(await page.locator(".row").first().isVisible());
    assert.ok((await page.pdf()).length > 10_000);
    await close();
});
