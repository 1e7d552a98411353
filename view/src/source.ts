// SPDX-License-Identifier: Apache-2.0
// Where the profile comes from: the page itself, the server that sent the page, or a file of the
// user's. README.md states the contract; nothing is fetched from anywhere else.

export type SourceName = "profile" | "compare";

export const isServed = (): boolean => /^https?:$/.test(location.protocol);

/** The text inside the page; the element is emptied, since a large profile is needed only once. */
function inlineText(name: SourceName): string | null {
    const element = document.getElementById(name);
    const text = element?.textContent?.trim();
    element?.remove();
    return text ? text : null;
}

async function servedText(name: SourceName): Promise<string | null> {
    const isWanted = name === "profile" || new URLSearchParams(location.search).has("compare");
    if (!isServed() || !isWanted) return null;
    const answer = await fetch(`${name}.json`, { cache: "no-store" });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return answer.text();
}

/** The text of a profile, or null when there is none: then the user is asked for a file. */
export async function sourceText(name: SourceName): Promise<string | null> {
    return inlineText(name) ?? (await servedText(name));
}

/** Holds a stream open while the page is: the server ends some time after the last one was closed.
 * Unlike a timer it also lives in a tab that the browser has put to sleep. */
export function keepServerAlive(): void {
    if (!isServed()) return;
    const events = new EventSource("events");
    // The server has ended; it does not come back at this address. (A stream that nobody listens to
    // might also be collected as garbage, and the server would take the page for closed.)
    events.onerror = () => events.close();
}
