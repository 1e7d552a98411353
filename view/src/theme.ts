// SPDX-License-Identifier: Apache-2.0
// Dark or light: as the system says, until the user says otherwise.
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "scalene-theme";

/** Pages from disk may not be allowed to store anything. */
function stored(): Theme {
    try {
        const value = localStorage.getItem(KEY);
        return value === "light" || value === "dark" ? value : "system";
    } catch {
        return "system";
    }
}

export const theme = signal<Theme>(stored());

const system = matchMedia("(prefers-color-scheme: dark)");
/** Grows whenever colours change, for what is drawn on a canvas. */
export const paint = signal(0);

function apply(): void {
    const isDark = theme.value === "dark" || (theme.value === "system" && system.matches);
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    paint.value++;
}

export function setTheme(next: Theme): void {
    theme.value = next;
    try {
        localStorage.setItem(KEY, next);
    } catch {
        // It holds until the page is closed.
    }
    apply();
}

export const isDark = (): boolean => document.documentElement.dataset.theme === "dark";

system.addEventListener("change", apply);
apply();

/** The value of a colour of style.css. */
export const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
