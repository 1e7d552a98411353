// SPDX-License-Identifier: Apache-2.0
// Amazon's signature, version 4: a request is written down in one canonical way, and what is written
// is signed with a key that holds for a day, a region and a service.
import type { Parcel } from "./parcel";

export type Credentials = { id: string; secret: string; token?: string };
export type Scope = { region: string; service: string };

const utf8 = new TextEncoder();

const hex = (bytes: ArrayBuffer): string => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const sha256 = async (text: string): Promise<string> => hex(await crypto.subtle.digest("SHA-256", utf8.encode(text)));

async function hmac(key: BufferSource, text: string): Promise<ArrayBuffer> {
    const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return crypto.subtle.sign("HMAC", imported, utf8.encode(text));
}

/** Everything but letters, digits and four marks becomes %XX; encodeURIComponent spares five more. */
const encode = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** The path as it is sent, each part encoded once more: all services but S3 want it so. */
const canonicalPath = (url: URL): string => url.pathname.split("/").map(encode).join("/");

function canonicalQuery(url: URL): string {
    const pairs = [...url.searchParams].map(([name, value]) => [encode(name), encode(value)] as const);
    pairs.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0));
    return pairs.map(([name, value]) => `${name}=${value}`).join("&");
}

function canonicalHeaders(headers: Record<string, string>): { text: string; names: string } {
    const sorted = Object.entries(headers)
        .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/\s+/g, " ")] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1));
    return { text: sorted.map(([name, value]) => `${name}:${value}\n`).join(""), names: sorted.map(([name]) => name).join(";") };
}

/** "20150830T123600Z" */
const stamp = (now: Date): string => now.toISOString().replace(/[-:]|\.\d+/g, "");

async function signingKey(secret: string, parts: string[]): Promise<ArrayBuffer> {
    let key: BufferSource = utf8.encode(`AWS4${secret}`);
    for (const part of parts) key = await hmac(key, part);
    return key as ArrayBuffer;
}

/** The same request with the headers that sign it. All of its headers are signed, and the host. */
export async function sign(parcel: Parcel, credentials: Credentials, scope: Scope, now: Date): Promise<Parcel> {
    const url = new URL(parcel.url);
    const time = stamp(now);
    const added: Record<string, string> = { "X-Amz-Date": time, ...(credentials.token ? { "X-Amz-Security-Token": credentials.token } : {}) };
    const { text, names } = canonicalHeaders({ ...parcel.headers, ...added, host: url.host });
    const request = [parcel.method, canonicalPath(url), canonicalQuery(url), text, names, await sha256(parcel.body ?? "")].join("\n");
    const parts = [time.slice(0, 8), scope.region, scope.service, "aws4_request"];
    const toSign = ["AWS4-HMAC-SHA256", time, parts.join("/"), await sha256(request)].join("\n");
    const signature = hex(await hmac(await signingKey(credentials.secret, parts), toSign));
    const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.id}/${parts.join("/")}, SignedHeaders=${names}, Signature=${signature}`;
    return { ...parcel, headers: { ...parcel.headers, ...added, Authorization: authorization } };
}
