// SPDX-License-Identifier: Apache-2.0
// Questions and answers by the place they are about. They outlive the panel: a row that is scrolled
// away and comes back still has its answer.
import { signal, type Signal } from "@preact/signals";
import { ask } from "./ask";
import type { LineOrRegion } from "./context";
import type { Provider, Question } from "./provider";
import { choices } from "./settings";

export type Conversation = {
    isOpen: boolean;
    /** The question as the user changed it; null: as it was made. */
    edited: string | null;
    answer: string;
    isBusy: boolean;
    isDone: boolean;
    isCut: boolean;
    /** How it stands, or why there is no answer. */
    note: string;
};

const NOTHING = { answer: "", isBusy: false, isDone: false, isCut: false, note: "" };

const all = new Map<string, Signal<Conversation>>();
const running = new WeakMap<Signal<Conversation>, AbortController>();

export function conversationOn({ path, firstLine, lastLine }: LineOrRegion): Signal<Conversation> {
    const place = `${path}:${firstLine}-${lastLine}`;
    const found = all.get(place) ?? signal<Conversation>({ isOpen: false, edited: null, ...NOTHING });
    all.set(place, found);
    return found;
}

export function change(conversation: Signal<Conversation>, part: Partial<Conversation>): void {
    conversation.value = { ...conversation.value, ...part };
}

export function stop(conversation: Signal<Conversation>): void {
    running.get(conversation)?.abort();
}

/** Sends the question; what comes back is in the conversation. A second question ends the first. */
export async function start(conversation: Signal<Conversation>, provider: Provider, question: Question): Promise<void> {
    stop(conversation);
    const control = new AbortController();
    running.set(conversation, control);
    const isCurrent = (): boolean => running.get(conversation) === control;
    change(conversation, { ...NOTHING, isBusy: true, note: `Waiting for ${provider.name} …` });
    const onText = (answer: string): void => {
        if (isCurrent() && answer) change(conversation, { answer, note: `${provider.name} answers …` });
    };
    try {
        const { text, isCut } = await ask(provider, question, { patienceS: choices.value.patienceS, stop: control.signal }, onText);
        if (isCurrent()) change(conversation, { answer: text, isBusy: false, isDone: true, isCut, note: "" });
    } catch (why) {
        if (isCurrent()) change(conversation, { isBusy: false, note: why instanceof Error ? why.message : String(why) });
    }
}
