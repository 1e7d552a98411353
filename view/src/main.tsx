// SPDX-License-Identifier: Apache-2.0
// Starts the page: its frame at once, the profile as soon as it has been read.
import { render } from "preact";
import { keepServerAlive, sourceText, type SourceName } from "./source";
import { load, status, trouble } from "./state";
import "./theme";
import { App } from "./ui/App";
import { listenToKeys } from "./ui/keys";

async function read(name: SourceName, title: string): Promise<void> {
    try {
        const text = await sourceText(name);
        if (text !== null) await load(name, text, title);
        else if (name === "profile") status.value = "empty";
    } catch (e) {
        trouble.value = `${title} cannot be read: ${(e as Error).message}.`;
        if (name === "profile") status.value = "empty";
    }
}

async function start(): Promise<void> {
    keepServerAlive();
    await read("profile", "The profile");
    await read("compare", "The profile to compare with");
}

const app = document.getElementById("app")!;
app.replaceChildren();
render(<App />, app);
listenToKeys();
// The profile may be inside the page, after this script.
if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => void start());
else void start();
