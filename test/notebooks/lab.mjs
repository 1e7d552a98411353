// SPDX-License-Identifier: Apache-2.0
// Opens a notebook in JupyterLab, runs all its cells and looks at the profiles that are shown.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { chromium } = createRequire(join(ROOT, "view/package.json"))("playwright-core");

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.setDefaultTimeout(Number(process.env.SCALENE_LAB_TIMEOUT_MS ?? 240_000));
const errors = [];
page.on("pageerror", (error) => errors.push(String(error)));

try {
    await page.goto(process.argv[2]);
    await page.locator(".jp-Notebook .jp-CodeCell").first().waitFor();
    // Asked to run before the kernel is there, it would ask which one.
    await page.getByText("Python 3 (ipykernel) | Idle").first().waitFor();
    await page.getByText("Run", { exact: true }).first().click();
    await page.locator('#jp-mainmenu-run').getByText("Run All Cells", { exact: true }).click();
    await page.getByText("ZeroDivisionError").first().waitFor({ state: "attached" });

    // JupyterLab takes cells that are out of sight away: each is looked at where it is.
    const shown = [];
    for (const index of [2, 3, 4]) {
        const cell = page.locator(`.jp-Notebook .jp-CodeCell[data-windowed-list-index="${index}"]`);
        await page.evaluate((i) => document.querySelectorAll(".jp-Notebook .jp-CodeCell")[i]?.scrollIntoView(), index);
        const frame = cell.frameLocator('iframe[title="Scalene profile"]');
        await frame.getByText("total += i % 7").first().waitFor();
        shown.push(await frame.locator("body").innerText());
        if (index === 4)
            await cell.getByText("ZeroDivisionError").first().waitFor();
    }
    assert.ok(shown[0].includes("[2]"), "functions of other cells are named by cell number");
    assert.ok(shown[1].includes("[4]") && /19(\.\d)?\s*M/.test(shown[1]), `memory of the cell: ${shown[1]}`);
    assert.deepEqual(errors.filter((error) => error.includes("scalene")), []);
    console.log("JupyterLab: 3 profiles shown, one with an exception beside");
} finally {
    await browser.close();
}
