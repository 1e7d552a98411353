// SPDX-License-Identifier: Apache-2.0
// Sends a parcel by the courier and hands on what comes back.
import type { CourierReport, Parcel } from "./parcel";

/** Why there is no answer, in a sentence for the user. */
export class Failure extends Error {}

export type Carriage = {
    /** Called with the status before the first bytes. */
    onHead(status: number): void;
    onPiece(bytes: Uint8Array): void;
    /** Without a sign of life for so long, it is given up. */
    patienceS: number;
    stop: AbortSignal;
};

/** What a courier is to the page; tests bring one of their own. */
export type CourierLike = {
    postMessage(parcel: Parcel): void;
    terminate(): void;
    onmessage: ((event: MessageEvent<CourierReport>) => void) | null;
    onerror: ((event: ErrorEvent) => void) | null;
};

const startCourier = (origin: string): CourierLike => new Worker(`courier.js?to=${origin}`);

/** The origin of an address, or a sentence on why there is none. */
export function originOf(address: string): string {
    let url: URL;
    try {
        url = new URL(address);
    } catch {
        throw new Failure(`“${address}” is no address; it begins with https:// or http://.`);
    }
    if (url.protocol !== "https:" && url.protocol !== "http:") throw new Failure(`“${address}” begins neither with https:// nor with http://.`);
    return url.origin;
}

export function carry(parcel: Parcel, carriage: Carriage, start: (origin: string) => CourierLike = startCourier): Promise<void> {
    const origin = originOf(parcel.url);
    return new Promise((resolve, reject) => {
        if (carriage.stop.aborted) return reject(new Failure("Stopped."));
        const courier = start(origin);
        let timer: ReturnType<typeof setTimeout>;
        const end = (finish: () => void): void => {
            clearTimeout(timer);
            carriage.stop.removeEventListener("abort", onStop);
            courier.terminate();
            finish();
        };
        const fail = (sentence: string): void => end(() => reject(new Failure(sentence)));
        const wait = (): void => {
            clearTimeout(timer);
            timer = setTimeout(() => fail(`${origin} was silent for ${carriage.patienceS} seconds; given up.`), carriage.patienceS * 1000);
        };
        const onStop = (): void => fail("Stopped.");
        carriage.stop.addEventListener("abort", onStop);
        courier.onerror = () => fail("The page's server does not answer any more: start scalene view again.");
        courier.onmessage = ({ data }) => {
            wait();
            if (data.kind === "head") carriage.onHead(data.status);
            else if (data.kind === "end") end(resolve);
            else if (data.kind === "lost") fail(`${origin} could not be reached, the connection broke, or it does not answer pages in a browser.`);
            else takePiece(data.bytes);
        };
        const takePiece = (bytes: Uint8Array): void => {
            try {
                carriage.onPiece(bytes);
            } catch (why) {
                fail(`The answer of ${origin} cannot be read: ${why instanceof Error ? why.message : String(why)}.`);
            }
        };
        wait();
        courier.postMessage(parcel);
    });
}
