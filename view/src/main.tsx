// SPDX-License-Identifier: Apache-2.0
// Starts the page.
import { keepServerAlive, sourceText } from "./source";

declare const WORKER_SOURCE: string;

async function start(): Promise<void> {
    const text = await sourceText("profile");
    const worker = new Worker(URL.createObjectURL(new Blob([WORKER_SOURCE])));
    worker.onmessage = (event: MessageEvent<string[]>) => {
        document.getElementById("app")!.textContent = event.data.join(", ");
    };
    if (text) worker.postMessage(text);
    keepServerAlive();
}

addEventListener("DOMContentLoaded", () => void start());
