// SPDX-License-Identifier: Apache-2.0
// A module of view/src/ai for node, bundled on the spot: the tests see the source, not the built page.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const view = new URL("../../../view/", import.meta.url);
const { build } = createRequire(new URL("package.json", view))("esbuild");

export async function load(...names) {
    const contents = names.map((name) => `export * from "./src/ai/${name}";`).join("\n");
    const result = await build({
        stdin: { contents, resolveDir: fileURLToPath(view) },
        bundle: true, write: false, format: "esm", target: "es2022", logLevel: "error",
    });
    return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].text).toString("base64")}`);
}
