// SPDX-License-Identifier: Apache-2.0
// The mount point of the proposals: the detail of a line calls it with an empty element.
import { h, render } from "preact";
import type { LineOrRegion, Profile } from "./context";
import { Panel } from "./Panel";

export type { Facts, LineOrRegion, Profile } from "./context";

/** Whether a server of ours has sent the page: its policy then allows to ask that server. */
function isServed(): boolean {
    const policy = document.querySelector<HTMLMetaElement>('meta[http-equiv="Content-Security-Policy"]')?.content ?? "";
    return /^https?:$/.test(location.protocol) && policy.includes("connect-src 'self'");
}

/** Fills `host`; what it returns takes it away again. */
export function mountProposals(host: HTMLElement, context: LineOrRegion, profile: Profile): () => void {
    render(h(Panel, { context, profile, isServed: isServed() }), host);
    return () => render(null, host);
}
