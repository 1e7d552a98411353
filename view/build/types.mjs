// SPDX-License-Identifier: Apache-2.0
// Makes src/data/schema.ts, the types of a profile, from schema/profile.schema.json.
//
// Only what our schema uses is known: objects, arrays, pairs, enums, references. A word it does not
// know is an error, so that a new one is not silently taken for "anything".
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const schema = JSON.parse(readFileSync(new URL("../../schema/profile.schema.json", import.meta.url)));
const target = new URL("../src/data/schema.ts", import.meta.url);

const SIMPLE = { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" };

const nameOf = (key) => key.split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join("");

function typeOf(node) {
    if (node.$ref) return nameOf(node.$ref.replace("#/$defs/", ""));
    if ("const" in node) return JSON.stringify(node.const);
    if (node.enum) return node.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (node.anyOf) return node.anyOf.map(typeOf).join(" | ");
    if (node.oneOf) return node.oneOf.map(typeOf).join(" | ");
    const types = [node.type].flat();
    return types.map((type) => typeNamed(type, node)).join(" | ");
}

function typeNamed(type, node) {
    if (type === "array") return arrayType(node);
    if (type === "object") return objectType(node);
    if (SIMPLE[type]) return SIMPLE[type];
    throw new Error(`profile.schema.json: build/types.mjs does not know ${JSON.stringify(node)}`);
}

function arrayType(node) {
    if (node.prefixItems) return `[${node.prefixItems.map(typeOf).join(", ")}]`;
    return node.items ? `(${typeOf(node.items)})[]` : "unknown[]";
}

function objectType(node) {
    if (!node.properties) return `{ [key: string]: ${typeOf(node.additionalProperties)} }`;
    const required = new Set(node.required ?? []);
    const members = Object.entries(node.properties).map(([key, value]) => {
        const note = value.description ? `/** ${value.description} */ ` : "";
        return `${note}${key}${required.has(key) ? "" : "?"}: ${typeOf(value)};`;
    });
    return `{\n${members.join("\n")}\n}`;
}

const types = [["profile", schema], ...Object.entries(schema.$defs)].map(
    ([key, node]) => `/** ${node.description ?? ""} */\nexport type ${nameOf(key)} = ${typeOf(node)};\n`);
const head = "// SPDX-License-Identifier: Apache-2.0\n// Made from schema/profile.schema.json by `npm run types`: not to be edited.\n\n";
mkdirSync(new URL(".", target), { recursive: true });
writeFileSync(target, head + types.join("\n"));
