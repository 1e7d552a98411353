// SPDX-License-Identifier: Apache-2.0
// The page inside another one, as notebooks show it: a frame that may run scripts and nothing else. It has no
// origin, no storage, no address of its own, no clipboard; the notebook around it must not notice it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { openUrl, writePage } from "./page.mjs";
import { memory, timeline } from "./profiles.mjs";

const quoted = (html) => html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

async function openFramed(profile, sandbox) {
    const path = writePage(profile);
    const framed = `<iframe srcdoc="${quoted(readFileSync(path, "utf8"))}" sandbox="${sandbox}" style="width: 1000px; height: 640px"></iframe>`;
    writeFileSync(path, `<!doctype html><meta charset="utf-8"><title>Notebook</title>${framed}`);
    const opened = await openUrl(`file://${path}`, { allow: (url) => url.startsWith("about:") });
    const frame = opened.page.frameLocator("iframe");
    await frame.locator("main > *").first().waitFor();
    return { ...opened, frame };
}

for (const sandbox of ["allow-scripts", "allow-scripts allow-downloads allow-popups"]) {
    test(`the page works in a frame that is allowed: ${sandbox}`, async () => {
        const { page, frame, close } = await openFramed(timeline(), sandbox);
        const address = page.url();
        for (const tab of ["functions", "flame", "timeline", "lines"]) {
            await frame.locator(`.tab-list a[href="#tab=${tab}"]`).click();
            await frame.locator(`.tab-list a[href="#tab=${tab}"][aria-current], .tab-list a[href="#tab=${tab}"][aria-selected="true"]`).waitFor();
            await frame.locator(".view, .table").first().waitFor();
        }
        await frame.locator("button.line").first().click();
        await frame.locator(".detail h3").first().waitFor();
        await page.keyboard.press("?");
        await page.keyboard.press("Escape");
        assert.equal(page.url(), address, "the notebook stays where it is");
        assert.equal(await frame.getByText("Copy link").count(), 0, "there is no address to be copied");
        await close();
    });
}

test("choices hold in a frame without storage", async () => {
    const { frame, close } = await openFramed(memory(), "allow-scripts");
    const theme = frame.getByRole("button", { name: /^Theme:/ });
    const before = await theme.getAttribute("aria-label");
    await theme.click();
    await frame.locator(`button[aria-label^="Theme:"]:not([aria-label="${before}"])`).waitFor();
    await close();
});
