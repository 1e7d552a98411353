// SPDX-License-Identifier: Apache-2.0
// Bundles the page into one file, dist/index.html: script, style and worker are inside, and a
// Content-Security-Policy lets nothing else run. README.md tells what may be put into it.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const common = {
    bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "ascii",
    legalComments: "none", logLevel: "warning", jsx: "automatic", jsxImportSource: "preact",
};

async function text(entry, more = {}) {
    const result = await build({ ...common, entryPoints: [path(entry)], ...more });
    return result.outputFiles[0].text.trim();
}

// The worker is a string within the script: a page from disk has no second file to load it from.
const worker = await text("src/worker.ts");
const script = await text("src/main.tsx", { define: { WORKER_SOURCE: JSON.stringify(worker) } });
const style = await text("src/style.css", { loader: { ".css": "css" } });

// Nothing in the script may end it, or begin what HTML takes for a comment.
const inline = (code) => code.replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--");
const hash = (code) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`;

const body = inline(script);
const policy = [
    "default-src 'none'", `script-src ${hash(body)}`, `style-src ${hash(style)}`, "img-src data:",
    "worker-src blob: 'self'", "connect-src 'none'", "base-uri 'none'", "form-action 'none'",
].join("; ");

// Functions as replacements: a bundle may contain what replace() takes for a pattern, such as $&.
const page = readFileSync(path("src/index.html"), "utf8")
    .replace("%POLICY%", () => policy)
    .replace("%STYLE%", () => style)
    .replace("%SCRIPT%", () => body);

mkdirSync(path("dist"), { recursive: true });
writeFileSync(path("dist/index.html"), page);
// The one part that is a file of its own: served with a policy of its own (src/ai/courier.ts).
writeFileSync(path("dist/courier.js"), await text("src/ai/courier.ts"));
if (process.argv.includes("--size"))
    console.log(`dist/index.html: ${page.length} bytes, ${gzipSync(page, { level: 9 }).length} gzipped`);
