// SPDX-License-Identifier: Apache-2.0
// The keyboard: one table of keys, each with what it does.
import { findings } from "../data/findings";
import { ALL, findPlace, go, model, MODES, route, showLine } from "../state";
import { isDark, setTheme } from "../theme";
import { editorLink, tellEditor } from "./editor";
import { helpIsOpen } from "./Help";
import { tabsOf } from "./Tabs";

/** The rows on the screen, by the buttons that open them. */
const rowButtons = (): HTMLButtonElement[] => [...document.querySelectorAll<HTMLButtonElement>("button.line")];

/** To the next row, or to the first that can be seen. Rows beyond the screen come as it scrolls. */
function move(step: number): void {
    const buttons = rowButtons();
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = at >= 0 ? buttons[at + step] : buttons.find((button) => button.getBoundingClientRect().top > 100);
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
}

function moveFinding(step: number): void {
    const all = model.value ? findings(model.value) : [];
    const at = all.findIndex((one) => one.place === route.value.at);
    const next = all[at < 0 ? 0 : (at + step + all.length) % all.length];
    if (next) showLine(next.file, next.file.lines.lineno[next.row]);
}

function openEditor(): void {
    const place = findPlace(model.value?.files ?? [], route.value.at);
    if (place && !tellEditor(place.file.path, place.line)) location.href = editorLink(place.file.path, place.line);
}

function escape(): void {
    if (route.value.at) go({ at: "" });
    else if (route.value.q) go({ q: "" });
    else go(ALL);
}

function search(): void {
    document.getElementById("search")?.focus();
}

const nextMode = (): void => go({ tab: "lines", mode: MODES[(MODES.indexOf(route.value.mode) + 1) % MODES.length] });

const KEYS: { readonly [key: string]: () => void } = {
    "/": search, j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), n: () => moveFinding(1),
    p: () => moveFinding(-1), o: openEditor, f: () => go({ tab: "flame" }), t: () => go({ tab: "timeline" }), m: nextMode,
    d: () => setTheme(isDark() ? "light" : "dark"), Escape: escape, "?": () => (helpIsOpen.value = true),
};

const isTyping = (target: EventTarget | null): boolean =>
    target instanceof HTMLElement && (target.matches("input, select, textarea") || target.isContentEditable);

function onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || helpIsOpen.value || !model.value) return;
    if (event.key === "Escape" && event.target instanceof HTMLInputElement) event.target.blur();
    else if (isTyping(event.target)) return;
    // The arrows scroll the page until a row has been reached.
    if (event.key.startsWith("Arrow") && !document.activeElement?.matches("button.line")) return;
    const tab = /^[1-9]$/.test(event.key) ? tabsOf(model.value)[Number(event.key) - 1] : undefined;
    const action = tab ? () => go({ tab }) : KEYS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
}

export function listenToKeys(): void {
    addEventListener("keydown", onKey);
}
