// SPDX-License-Identifier: Apache-2.0
// What is shown without a profile: how to get one, and a way to open one.
import type { JSX } from "preact";
import { status } from "../state";
import { pickFile } from "./Header";

export function Empty(): JSX.Element {
    if (status.value === "reading") return <p class="starting" role="status">Reading the profile …</p>;
    return (
        <section class="empty">
            <h2>No profile yet</h2>
            <p>Open a <code>scalene-profile.json</code>, or drop one anywhere on this page. It stays on this machine.</p>
            <p><button type="button" class="primary" onClick={() => pickFile("profile")}>Open a profile</button></p>
            <p class="fact">To make one: <code>scalene run your_program.py</code></p>
        </section>
    );
}
