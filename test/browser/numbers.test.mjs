// SPDX-License-Identifier: Apache-2.0
// The page says what the terminal says: the same findings, the same numbers in every row.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, scalene, texts, writeProfile } from "./page.mjs";
import { memory, solver, upstream } from "./profiles.mjs";

const squeeze = (text) => text.replace(/\s+/g, " ").trim();

/** The rows of the terminal's tables by their line number and text: what stands before them. */
function terminalRows(text, heading) {
    const rows = new Map();
    let [isTable, end, file] = [false, 0, ""]; // where the column of line numbers ends
    for (const one of text.split("\n")) {
        file = /^(\S+) .* of the time/.exec(one)?.[1] ?? file;
        const head = /^(time .*line) {2}(\w+)$/.exec(one);
        if (head) [isTable, end] = [head[2] === heading, head[1].length];
        const parts = /^(.*?)(\d+)$/.exec(one.slice(0, end));
        if (isTable && parts) rows.set(`${file} ${parts[2]} ${squeeze(one.slice(end)).slice(0, 20)}`, squeeze(parts[1]));
    }
    return rows;
}

/** The same of the page: the columns that the terminal shows, too. */
async function pageRows(page) {
    const shown = ["time", "error", "python", "native", "system", "mem", "copy"];
    return page.locator(".file, .row").evaluateAll((rows, names) => rows.map((row, i) => {
        const cell = (name) => row.querySelector(`.c-${name}`)?.textContent.trim() ?? "";
        const file = rows.slice(0, i + 1).findLast((one) => one.matches(".file")).querySelector("bdi").textContent;
        return { key: `${file} ${cell("line")} ${cell("code").replace(/leak$/, "").replace(/\s+/g, " ").trim().slice(0, 20)}`, numbers: names.map(cell).filter(Boolean).join(" ") };
    }), shown);
}

for (const [name, make] of Object.entries({ memory, solver, upstream })) {
    test(`${name}: page and terminal show the same numbers`, async () => {
        const profile = make();
        const terminal = scalene("view", "--cli", "--color", "never", writeProfile(profile));
        const { page, close } = await open(profile);
        const flat = squeeze(terminal);
        // The page says all there is to say of a line at once; the terminal lists it again.
        const findings = await page.locator(".finding").evaluateAll((all) => all.map((one) => ({
            where: [one.querySelector(".place b").textContent, one.querySelector(".fn")?.textContent ?? ""].join(" ").trim(),
            words: one.querySelector(".words").textContent.split("; "),
        })));
        const listed = terminal.split("\n").filter((one) => /^[1-5] {2}\S+:\d+ /.test(one));
        assert.ok(listed.length >= 4, terminal);
        for (const one of listed) {
            const known = findings.filter(({ where, words }) => words.some((text) => squeeze(one).slice(2).startsWith(squeeze(`${where} ${text}`))));
            assert.equal(known.length, 1, `${one}\n${JSON.stringify(findings)}`);
        }
        for (const part of await texts(page, "#card-time ~ .parts .legend li")) assert.ok(flat.includes(squeeze(part.replace(/\(.*/, ""))), part);
        for (const [tab, heading] of [["Lines", "code"], ["Functions", "function"]]) {
            await page.getByRole("link", { name: tab, exact: true }).click();
            const known = terminalRows(terminal, heading);
            const rows = (await pageRows(page)).filter(({ key }) => known.has(key));
            assert.ok(rows.length >= 4, `${tab}: ${[...known.keys()]}`);
            for (const { key, numbers } of rows) assert.equal(numbers, known.get(key), `${tab}: ${key}`);
        }
        await close();
    });
}
