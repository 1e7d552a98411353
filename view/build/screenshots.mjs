// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of the page that the README shows: `make screenshots`. Runs the two programs of
// example/ that are made to be looked at under build/scalene, and writes doc/images/*.png.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SCALENE = join(ROOT, "build/scalene");
const IMAGES = join(ROOT, "doc/images");

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };

/** One line each: the picture, the program, the theme, the screen, where on the page. */
const PICTURES = [
    ["page-light", "heat.py", "light", WIDE, ""],
    ["page-dark", "service.py", "dark", WIDE, ""],
    ["page-flame", "heat.py", "light", WIDE, "#tab=flame&by=line"],
    ["page-detail", "service.py", "light", WIDE, "#at=service.py%3A23"],
    ["page-narrow-light", "service.py", "light", NARROW, ""],
    ["page-narrow-dark", "heat.py", "dark", NARROW, ""],
];

function run(command, args, options = {}) {
    const result = spawnSync(command, args, { encoding: "utf8", timeout: 300_000, ...options });
    if (result.status !== 0) throw new Error(`${command} ${args.join(" ")}: ${result.stderr || result.error}`);
    return result.stdout;
}

/** An interpreter of this machine that has numpy, and where its numpy is. */
function interpreter() {
    const found = run(join(ROOT, "script/interpreters"), []).split("\n").map((line) => line.split("\t"))
        .filter(([, place, , numpy]) => place === "here" && numpy && numpy !== "-");
    if (!found.length) throw new Error("No interpreter with numpy is here: `make interpreters` fetches it.");
    const [, , path, numpy] = found.find(([id]) => id === "3.12") ?? found[0];
    return { path, numpy };
}

function makePage(program, folder) {
    const { path, numpy } = interpreter();
    const [profile, page] = [join(folder, `${program}.json`), join(folder, `${program}.html`)];
    run(SCALENE, ["run", "--memory", "--python", path, "-o", profile, join(ROOT, "example", program)], { env: { ...process.env, PYTHONPATH: numpy } });
    run(SCALENE, ["view", "--html", "-o", page, profile]);
    return page;
}

const folder = mkdtempSync(join(tmpdir(), "scalene-screenshots-"));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
try {
    mkdirSync(IMAGES, { recursive: true });
    const pages = new Map([...new Set(PICTURES.map(([, program]) => program))].map((program) => [program, makePage(program, folder)]));
    for (const [name, program, colorScheme, viewport, hash] of PICTURES) {
        const tab = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" });
        await tab.goto(`file://${pages.get(program)}${hash}`);
        await tab.locator(hash.includes("at=") ? ".detail h3" : hash ? ".flame canvas" : ".finding").first().waitFor();
        // What is drawn on a canvas comes a frame later.
        await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        await tab.screenshot({ path: join(IMAGES, `${name}.png`) });
        await tab.close();
        console.log(`doc/images/${name}.png`);
    }
} finally {
    await browser.close();
    rmSync(folder, { recursive: true });
}
