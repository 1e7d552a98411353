// SPDX-License-Identifier: Apache-2.0
// Small numbers in words. The rules are those of src/report/text.c, so that the page and the
// terminal say the same of one profile.

const MB_PER_GB = 1024;
const MB_PER_TB = 1024 * 1024;

/** 41%, <1%, or nothing. */
export function share(percent: number): string {
    if (percent >= 0.95) return `${Math.round(percent)}%`;
    return percent > 0 ? "<1%" : "";
}

/** A part of a share, without its sign: 41, or nothing when it is less than half a point. */
export function part(percent: number): string {
    return percent >= 0.5 ? String(Math.round(percent)) : "";
}

function tenths(value: number, unit: string): string {
    const n = Math.round(value * 10);
    return n >= 100 ? `${Math.round(value)}${unit}` : `${Math.floor(n / 10)}.${n % 10}${unit}`;
}

/** 12M, 1.5G, or nothing: for the columns of a table. */
export function megabytes(mb: number): string {
    if (mb >= 1000 * MB_PER_GB) return tenths(mb / MB_PER_TB, "T");
    if (mb >= 1000) return tenths(mb / MB_PER_GB, "G");
    return mb >= 0.05 ? tenths(mb, "M") : "";
}

/** 160 MB, 43 KB, or nothing: for sentences. */
export function size(mb: number): string {
    if (mb >= 1000 * MB_PER_GB) return tenths(mb / MB_PER_TB, " TB");
    if (mb >= 1000) return tenths(mb / MB_PER_GB, " GB");
    if (mb >= 0.95) return tenths(mb, " MB");
    return mb * 1024 >= 0.5 ? `${Math.round(mb * 1024)} KB` : "";
}

/** 4.44 s, 3 min 20 s, 2 h 5 min, 120 ms. */
export function seconds(value: number): string {
    const s = Math.round(value);
    const ms = Math.round(value * 1000);
    if (s >= 3600) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
    if (s >= 100) return `${Math.floor(s / 60)} min ${s % 60} s`;
    if (ms >= 1000) return `${Math.floor(ms / 1000)}.${String(Math.floor((ms % 1000) / 10)).padStart(2, "0")} s`;
    return `${ms} ms`;
}

/** 3,812. */
export function count(n: number): string {
    return String(Math.floor(n)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** "3 samples", "1 sample". */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
    return `${count(n)} ${n === 1 ? noun : plural}`;
}

/** ±3, or nothing when it is less than half a point. */
export function error(points: number): string {
    return points >= 0.5 ? `±${Math.round(points)}` : "";
}

/** 0.1234 s as 0.123; nothing when it is less than half a millisecond. */
export function milliseconds(value: number): string {
    const ms = Math.round(value * 1000);
    return ms > 0 ? `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, "0")}` : "";
}

/** A change with its sign: +1.20 s, −40 MB; "±0" when the words for it are empty. */
export function change(value: number, words: (positive: number) => string): string {
    const text = words(Math.abs(value));
    if (!text) return "±0";
    return `${value < 0 ? "−" : "+"}${text}`;
}
