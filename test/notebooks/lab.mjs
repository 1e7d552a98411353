// SPDX-License-Identifier: Apache-2.0
// Opens a notebook (lab.mjs APPLICATION ADDRESS), runs all its cells and looks at the profiles that are shown.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { chromium } = createRequire(join(ROOT, "view/package.json"))("playwright-core");
const TIMEOUT_MS = Number(process.env.SCALENE_LAB_TIMEOUT_MS ?? 240_000);

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.setDefaultTimeout(TIMEOUT_MS);
const errors = [];
page.on("pageerror", (error) => errors.push(String(error)));

// JupyterLab, and notebook 7, which is made of its parts.
const lab = {
    async runAll() {
        await page.getByText("Run", { exact: true }).first().click();
        await page.locator("#jp-mainmenu-run").getByText("Run All Cells", { exact: true }).click();
    },
    // Cells that are out of sight are taken out of the page: from those that are in it we go towards the one that is
    // wanted. Once there, it may be pushed away by what comes in above it.
    async reveal(index) {
        await page.locator(".jp-Notebook .jp-CodeCell[data-windowed-list-index]").evaluateAll((cells, wish) => {
            const at = cells.map((cell) => Number(cell.dataset.windowedListIndex));
            (cells[at.indexOf(wish)] ?? (Math.min(...at) > wish ? cells[0] : cells.at(-1)))?.scrollIntoView();
        }, index);
        return page.locator(`.jp-Notebook .jp-CodeCell[data-windowed-list-index="${index}"]`);
    },
};

// The classic notebook, which has all its cells in the page.
const classic = {
    async runAll() {
        await page.locator("#menus").getByText("Cell", { exact: true }).click();
        await page.locator("#run_all_cells").click();
    },
    async reveal(index) {
        return page.locator("#notebook-container .code_cell").nth(index);
    },
};

const [name, address] = process.argv.slice(2);
const application = name === "nbclassic" ? classic : lab;

// The page is connected to a kernel that has nothing to do. Asked to run before, it would ask which kernel to take.
async function waitForKernel() {
    for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await page.waitForTimeout(200)) {
        const [kernel] = await (await fetch(new URL("/api/kernels", address))).json();
        if (kernel?.connections > 0 && kernel.execution_state === "idle")
            return;
    }
    throw new Error("there is no kernel");
}

// Waits until a cell has something, looking for it again and again where it is.
async function waitFor(index, find) {
    for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await page.waitForTimeout(200)) {
        const found = find(await application.reveal(index)).first();
        if (await found.count())
            return found;
    }
    throw new Error(`cell ${index} never had it`);
}

// What the profile below a cell shows; the page is in a frame of its own.
async function shown(index) {
    const inFrame = (cell) => cell.frameLocator('iframe[title="Scalene profile"]');
    await waitFor(index, (cell) => inFrame(cell).getByText("total += i % 7"));
    return inFrame(await application.reveal(index)).locator("body").innerText();
}

let step = "opening it";
try {
    await page.goto(address);
    await waitFor(0, (cell) => cell.getByText("load_ext"));
    await waitForKernel();
    step = "running all cells";
    await application.runAll();
    await waitFor(4, (cell) => cell.getByText("ZeroDivisionError"));
    step = "looking at the statement";
    const statement = await shown(2);
    assert.ok(statement.includes("[2]"), "functions of other cells are named by cell number");
    step = "looking at the cell";
    const cell = await shown(3);
    assert.ok(cell.includes("[4]") && /19(\.\d)?\s*M/.test(cell), `memory of the cell: ${cell}`);
    step = "looking at the cell that fails";
    await shown(4);
    await waitFor(4, (cell) => cell.getByText("ZeroDivisionError"));
    assert.deepEqual(errors.filter((error) => error.includes("scalene")), []);
    console.log(`${name}: 3 profiles shown, one with an exception beside`);
} catch (error) {
    console.error(`${name}: failed at ${step}`);
    if (process.env.SCALENE_LAB_PICTURE)
        await page.screenshot({ path: process.env.SCALENE_LAB_PICTURE });
    throw error;
} finally {
    await browser.close();
}
