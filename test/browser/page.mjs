// SPDX-License-Identifier: Apache-2.0
// What the browser tests stand on: one headless chromium, and pages made by build/scalene itself.
//
// Every page is watched: a request to anything but itself, an error in the console or one that nobody
// caught fails the test that opened it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const SCALENE = join(ROOT, "build/scalene");
const require = createRequire(join(ROOT, "view/package.json"));
const { chromium } = require("playwright-core");
export const AXE = require.resolve("axe-core");

const folder = mkdtempSync(join(tmpdir(), "scalene-browser-"));
// Machines that build in containers often have no user namespaces and little shared memory.
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"], timeout: 300_000 });

after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
});

let n = 0;

export function writeProfile(profile) {
    const path = join(folder, `profile-${++n}.json`);
    writeFileSync(path, typeof profile === "string" ? profile : JSON.stringify(profile));
    return path;
}

/** build/scalene with some arguments: what it printed. */
export function scalene(...args) {
    const result = spawnSync(SCALENE, args, { encoding: "utf8", timeout: 60_000, cwd: folder, maxBuffer: 1 << 28 });
    assert.equal(result.status, 0, result.stderr);
    return result.stdout;
}

/** The profile of a Python program that is run here and now. */
export function runProgram(program, ...args) {
    const path = join(folder, `run-${++n}.json`);
    // It takes two seconds of CPU; a busy machine gives them slowly.
    const result = spawnSync(SCALENE, ["run", "-o", path, program, ...args], { encoding: "utf8", timeout: 300_000, cwd: folder });
    assert.equal(result.status, 0, result.stderr);
    return JSON.parse(readFileSync(path, "utf8"));
}

/** The page of a profile, as `scalene view --html` writes it. */
export function writePage(profile, compare) {
    const path = join(folder, `page-${++n}.html`);
    const more = compare ? ["--compare", writeProfile(compare)] : [];
    scalene("view", "--html", "-o", path, ...more, writeProfile(profile));
    return path;
}

const isOwn = (url, own) => url.split("#")[0] === own || url.startsWith("blob:") || url.startsWith("data:");

/** Opens an address and watches it; `check()` tells what went wrong so far. */
export async function openUrl(url, { allow = () => false, hash = "", ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    // What is waited for takes milliseconds, but the machine may be busy.
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    const wrong = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
    context.on("request", (request) => isOwn(request.url(), url) || allow(request.url()) || wrong.push(`request: ${request.url()}`));
    await page.goto(url + hash);
    const close = async () => {
        await context.close();
        assert.deepEqual(wrong, []);
    };
    return { page, close };
}

/** The page of a profile from disk, ready to be looked at. */
export async function open(profile, { compare, ...options } = {}) {
    const opened = await openUrl(`file://${writePage(profile, compare)}`, options);
    await opened.page.locator("main > *").first().waitFor();
    await opened.page.locator(".starting").waitFor({ state: "detached" });
    return opened;
}

/** The texts of what a selector finds. */
export const texts = async (page, selector) => (await page.locator(selector).allTextContents()).map((text) => text.trim());
