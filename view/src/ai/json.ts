// SPDX-License-Identifier: Apache-2.0
// Reading of JSON that others wrote: nothing about its shape is taken for granted.

/** What lies at a path of names and indices; undefined where it does not lead anywhere. */
export function at(json: unknown, ...path: (string | number)[]): unknown {
    let here: unknown = json;
    for (const step of path) {
        if (typeof here !== "object" || here === null) return undefined;
        here = (here as Record<string | number, unknown>)[step];
    }
    return here;
}

export function textAt(json: unknown, ...path: (string | number)[]): string {
    const found = at(json, ...path);
    return typeof found === "string" ? found : "";
}

export function listAt(json: unknown, ...path: (string | number)[]): unknown[] {
    const found = at(json, ...path);
    return Array.isArray(found) ? found : [];
}

export function parse(text: string): unknown {
    try {
        return JSON.parse(text) as unknown;
    } catch {
        return undefined;
    }
}
