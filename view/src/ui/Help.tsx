// SPDX-License-Identifier: Apache-2.0
// The keys and what the numbers mean.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

export const helpIsOpen = signal(false);

const KEYS: readonly [string, string][] = [
    ["/", "search in files, functions and code"],
    ["j  k", "next, previous row (also the arrow keys)"],
    ["Enter", "open or close the row"],
    ["n  p", "next, previous of “where to look first”"],
    ["o", "show the line in the editor"],
    ["1 … 8", "tabs"],
    ["f  t", "flame chart, timeline"],
    ["m", "how many lines are shown"],
    ["d", "dark or light"],
    ["Esc", "close, clear, zoom out"],
    ["?", "this help"],
];

const TERMS: readonly [string, string][] = [
    ["time", "CPU time of all threads, and idle time: moments when no thread of the process ran. All lines together are 100%."],
    ["py, nat, sys", "Parts of it in Python code, in native code, and in the kernel or idle."],
    ["±3, n=4", "The 95% interval in points. A grey row with n=… rests on fewer than 10 samples: do not trust it."],
    ["waits", "What threads waited for, each by itself and apart from the 100%."],
    ["mem, alloc, live", "Most memory of the line at once; all it ever allocated; what is left at the end. M is MiB."],
    ["leak", "Its memory is not given back as the program runs on."],
    ["copy", "Megabytes copied per second of the run."],
];

export function Help(): JSX.Element {
    const dialog = useRef<HTMLDialogElement>(null);
    useEffect(() => {
        if (helpIsOpen.value) dialog.current?.showModal();
        else dialog.current?.close();
    }, [helpIsOpen.value]);
    return (
        <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (helpIsOpen.value = false)}>
            <h2 id="help-title">Keys</h2>
            <dl>{KEYS.map(([key, what]) => <div><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}</dl>
            <h2>Numbers</h2>
            <dl class="terms">{TERMS.map(([term, what]) => <div><dt>{term}</dt><dd>{what}</dd></div>)}</dl>
            <button type="button" onClick={() => (helpIsOpen.value = false)}>Close</button>
        </dialog>
    );
}
