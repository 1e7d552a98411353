// SPDX-License-Identifier: Apache-2.0
// The request as it will be sent, to be read before: made by the same function, with other keys.
import type { Parcel } from "./parcel";
import type { Provider, Question, Settings } from "./provider";

const MASK = "(your key)";

function masked(provider: Provider, settings: Settings): Settings {
    const secrets = provider.fields.filter((field) => field.isSecret && settings[field.name]);
    return { ...settings, ...Object.fromEntries(secrets.map((field) => [field.name, MASK])) };
}

function pretty(body: string | undefined): string {
    return body === undefined ? "" : `\n\n${JSON.stringify(JSON.parse(body), null, 2)}`;
}

/** The address in words: a mask is shown as such, not encoded. */
const readable = (url: string): string => url.replaceAll(encodeURIComponent(MASK), MASK);

export function previewOf(provider: Provider, question: Question): string {
    const parcel: Parcel = provider.ask({ ...question, settings: masked(provider, question.settings) });
    const headers = Object.entries(parcel.headers).map(([name, value]) => `${name}: ${value}`);
    if (provider.seal) headers.push("X-Amz-Date: (when it is sent)", "Authorization: (a signature made with your key; the key itself is not sent)");
    return [`${parcel.method} ${readable(parcel.url)}`, ...headers].join("\n") + pretty(parcel.body);
}
