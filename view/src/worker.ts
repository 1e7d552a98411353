// SPDX-License-Identifier: Apache-2.0
// The thread that reads profiles, so that the page never waits for one.
import { Engine, type Question } from "./data/engine";

const engine = new Engine();

self.onmessage = (event: MessageEvent<{ id: number; question: Question }>) => {
    const { id, question } = event.data;
    try {
        self.postMessage({ id, answer: engine.answer(question) });
    } catch (e) {
        self.postMessage({ id, error: (e as Error).message });
    }
};
