// SPDX-License-Identifier: Apache-2.0
// The worker that carries one request to a provider and its answer back, piece by piece.
//
// The page itself may talk to nobody but the server it came from. This worker comes with a policy of
// its own (`courier.js?to=ORIGIN`), by which the browser lets it reach that origin and nothing else:
// neither the page nor the profile can be sent anywhere the user has not chosen.
import type { CourierReport, Parcel } from "./parcel";

const report = (message: CourierReport): void => postMessage(message);

async function carry(parcel: Parcel): Promise<void> {
    const answer = await fetch(parcel.url, {
        method: parcel.method,
        headers: parcel.headers,
        ...(parcel.body === undefined ? {} : { body: parcel.body }),
        cache: "no-store", credentials: "omit", mode: "cors", redirect: "error", referrerPolicy: "no-referrer",
    });
    report({ kind: "head", status: answer.status });
    const reader = answer.body?.getReader();
    for (;;) {
        const piece = await reader?.read();
        if (!piece || piece.done) break;
        report({ kind: "piece", bytes: piece.value });
    }
    report({ kind: "end" });
}

addEventListener("message", (event: MessageEvent<Parcel>) => {
    carry(event.data).catch((why: unknown) => report({ kind: "lost", why: String(why) }));
});
