// SPDX-License-Identifier: Apache-2.0
// What goes between the page and the courier.

/** A request, complete: nothing is added on the way. */
export type Parcel = {
    url: string;
    method: "GET" | "POST";
    headers: Record<string, string>;
    body?: string;
};

export type CourierReport =
    | { kind: "head"; status: number }
    | { kind: "piece"; bytes: Uint8Array }
    | { kind: "end" }
    | { kind: "lost"; why: string };
