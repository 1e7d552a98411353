// SPDX-License-Identifier: Apache-2.0
// Streams of JSON, however they are packed and wherever the network cuts them.
import { parse, textAt } from "./json";
import type { Packing } from "./provider";

/** Takes bytes as they come; gives the JSON texts that are complete by then. Throws on what is no stream. */
export type Unpacker = (bytes: Uint8Array) => unknown[];

/** Whole lines of text; a character that is cut waits for its rest. */
function lineReader(): (bytes: Uint8Array) => string[] {
    const decoder = new TextDecoder();
    let rest = "";
    return (bytes) => {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
        rest = lines.pop() ?? "";
        return lines;
    };
}

/** Events of a server: only their data is of use, and one of them says that there are no more. */
function unpackEvents(): Unpacker {
    const read = lineReader();
    return (bytes) => read(bytes)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trim())
        .filter((data) => data !== "" && data !== "[DONE]")
        .map(parse);
}

function unpackLines(): Unpacker {
    const read = lineReader();
    return (bytes) => read(bytes).filter((line) => line.trim() !== "").map(parse);
}

/** Larger than any event; a length beyond it is no length. */
const LARGEST_FRAME = 16 * 1024 * 1024;

/** The name of an exception is among the headers: pairs of a short name and a string. */
function frameHeaders(bytes: Uint8Array): Map<string, string> {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const text = new TextDecoder();
    const headers = new Map<string, string>();
    for (let place = 0; place < bytes.length;) {
        const nameEnd = place + 1 + view.getUint8(place);
        const name = text.decode(bytes.subarray(place + 1, nameEnd));
        // 7 is a string; the others do not come, and nothing after one could be read.
        if (view.getUint8(nameEnd) !== 7) break;
        place = nameEnd + 3 + view.getUint16(nameEnd + 1);
        headers.set(name, text.decode(bytes.subarray(nameEnd + 3, place)));
    }
    return headers;
}

/** A frame's payload wraps the maker's own JSON in base64; an exception has its message in the open. */
function readFrame(frame: Uint8Array, headerBytes: number): unknown {
    const headers = frameHeaders(frame.subarray(12, 12 + headerBytes));
    const payload = parse(new TextDecoder().decode(frame.subarray(12 + headerBytes, frame.length - 4)));
    const kind = headers.get(":exception-type") ?? headers.get(":error-code");
    if (kind) return { type: "error", error: { message: `${kind}: ${textAt(payload, "message")}` } };
    const inner = Uint8Array.from(atob(textAt(payload, "bytes")), (character) => character.charCodeAt(0));
    return parse(new TextDecoder().decode(inner));
}

/** Amazon's frames:
 *
 *     | total bytes | header bytes | checksum | headers ... | payload ... | checksum |
 *       4, big-endian  4             4                                       4
 */
function unpackFrames(): Unpacker {
    let rest = new Uint8Array(0);
    return (bytes) => {
        const all = new Uint8Array(rest.length + bytes.length);
        all.set(rest);
        all.set(bytes, rest.length);
        const view = new DataView(all.buffer);
        const found: unknown[] = [];
        let place = 0;
        while (place + 12 <= all.length) {
            const total = view.getUint32(place), headerBytes = view.getUint32(place + 4);
            if (total > LARGEST_FRAME || total < headerBytes + 16) throw new Error("this is no event stream of Amazon's");
            if (place + total > all.length) break;
            found.push(readFrame(all.subarray(place, place + total), headerBytes));
            place += total;
        }
        rest = all.slice(place);
        return found;
    };
}

const unpackers: Record<Packing, () => Unpacker> = { sse: unpackEvents, lines: unpackLines, aws: unpackFrames };

export const unpacker = (packing: Packing): Unpacker => unpackers[packing]();
