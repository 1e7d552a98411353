// SPDX-License-Identifier: Apache-2.0
// Hostile names harm nothing; everybody can use the page; a broken policy would be noticed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { AXE, open, ROOT, texts } from "./page.mjs";
import { hostile, HOSTILE, line, memory, profileOf, timeline } from "./profiles.mjs";

const TABS = ["lines", "functions", "flame", "timeline", "waits", "processes", "run"];

test("hostile names are text and nothing else", async () => {
    const { page, close } = await open(hostile(), { hash: "#mode=all" });
    for (const tab of TABS) {
        await page.locator(`.tab-list a[href="#tab=${tab}"]`).click();
        await page.locator(".view, .table").first().waitFor();
        assert.equal(await page.evaluate(() => window.harmed), undefined);
        assert.equal(await page.locator("img").count(), 0);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `${tab} is too wide`);
    }
    await page.keyboard.press("1");
    await page.locator("button.line").first().click();
    await page.locator(".detail h3").first().waitFor();
    assert.ok((await page.locator(".detail .full-code").textContent()).includes(HOSTILE[0]));
    await close();
});

test("a line of 10,000 characters is cut in the table and whole in the detail", async () => {
    const code = `x = "${"a".repeat(10_000)}"`;
    const { page, close } = await open(profileOf({ "/p.py": [line(1, code, { n_cpu_percent_python: 50, cpu_samples: 50 })] }));
    assert.ok((await page.locator(".row .c-code").textContent()).length < 500);
    await page.locator("button.line").click();
    assert.equal(await page.locator(".full-code").textContent(), code);
    await close();
});

test("characters that turn text around are shown as what they are", async () => {
    const { page, close } = await open(profileOf({ "/p.py": [line(1, "if access != 'user\u202e \u2066# check\u2069 \u2066':", { n_cpu_percent_python: 50, cpu_samples: 50 })] }));
    assert.match((await texts(page, ".row .c-code"))[0], /‹U\+202E›.*‹U\+2066›/);
    await close();
});

test("the policy lets nothing run that is not ours", async () => {
    const { page, close } = await open(memory());
    const result = await page.evaluate(async () => {
        const script = document.createElement("script");
        script.textContent = "window.harmed = 1";
        document.body.append(script);
        const button = document.createElement("button");
        button.setAttribute("onclick", "window.harmed = 2");
        document.body.append(button);
        button.click();
        const isFetched = await fetch("https://example.invalid/").then(() => true, () => false);
        return { harmed: window.harmed, isFetched };
    });
    assert.deepEqual(result, { harmed: undefined, isFetched: false });
    // The refusals are in the console: they are the proof, and the only errors.
    await assert.rejects(close, (error) => error.actual.length >= 3 && error.actual.every((one) => /Content Security Policy/.test(one)));
});

// In the dark only the colours are other ones.
for (const [colorScheme, rules] of [["light", {}], ["dark", { runOnly: ["color-contrast"] }]]) {
    test(`axe finds nothing to complain about (${colorScheme})`, async () => {
        const { page, close } = await open(timeline(), { colorScheme, bypassCSP: true, compare: memory() });
        await page.evaluate(readFileSync(AXE, "utf8"));
        for (const tab of [...TABS, "compare", "lines"]) {
            await page.locator(`.tab-list a[href="#tab=${tab}"]`).click();
            await page.locator(".view, .table").first().waitFor();
            if (tab === "lines") {
                await page.keyboard.press("n");
                await page.locator(".detail h3").first().waitFor();
            }
            const { violations } = await page.evaluate((options) => window.axe.run(document, { ...options, resultTypes: ["violations"] }), rules);
            assert.deepEqual(violations.map(({ id, nodes }) => `${tab}: ${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`), []);
        }
        await close();
    });
}

test("the page is under 300 KB gzipped", () => {
    assert.ok(gzipSync(readFileSync(`${ROOT}/view/dist/index.html`), { level: 9 }).length < 300_000);
});
