// SPDX-License-Identifier: Apache-2.0
// The mount point of the proposals: the detail of a line calls it with an empty element.
import type { LineOrRegion, Profile } from "./context";

export type { Facts, LineOrRegion, Profile } from "./context";

/** Fills `host`; what it returns takes it away again. */
export function mountProposals(host: HTMLElement, context: LineOrRegion, profile: Profile): () => void {
    void context;
    void profile;
    host.hidden = true;
    return () => host.replaceChildren();
}
