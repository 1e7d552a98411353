// SPDX-License-Identifier: Apache-2.0
// Reads a JSON profile without trusting it: what is missing, null or of another type is empty, and
// numbers are cut to what can be. The keys are checked against the schema when the page is built.

/** An object that should be a T, whose values may be anything. */
export type Loose<T> = { [K in keyof T]?: unknown };

type Key<T> = keyof T & string;

/** Larger numbers are nonsense, and would not fit their columns; times in nanoseconds may be larger. */
const LARGEST = 1e12;
const LARGEST_NS = 1e18;

export function isObject(value: unknown): value is { [key: string]: unknown } {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function finite(value: unknown, largest = LARGEST): number {
    return typeof value === "number" && Number.isFinite(value) ? Math.min(largest, Math.max(0, value)) : 0;
}

export function number<T>(item: Loose<T>, key: Key<T>): number {
    return finite(item[key]);
}

export function percent<T>(item: Loose<T>, key: Key<T>): number {
    return Math.min(100, finite(item[key]));
}

export function text<T>(item: Loose<T>, key: Key<T>): string {
    const value = item[key];
    return typeof value === "string" ? value : "";
}

export function flag<T>(item: Loose<T>, key: Key<T>): boolean {
    return item[key] === true;
}

export function list<T>(item: Loose<T>, key: Key<T>): unknown[] {
    const value = item[key];
    return Array.isArray(value) ? value : [];
}

/** The objects of a list; whatever else is in it is left out. */
export function objects<T, E>(item: Loose<T>, key: Key<T>): Loose<E>[] {
    return list(item, key).filter(isObject) as Loose<E>[];
}

export function object<T, E>(item: Loose<T>, key: Key<T>): Loose<E> {
    const value = item[key];
    return (isObject(value) ? value : {}) as Loose<E>;
}

export function strings<T>(item: Loose<T>, key: Key<T>): string[] {
    return list(item, key).filter((value): value is string => typeof value === "string");
}

/** Pairs of a time and a size, as [t, y, t, y, ...]; in the order of time. */
export function pairs<T>(item: Loose<T>, key: Key<T>): Float64Array {
    const all = list(item, key).filter((value): value is unknown[] => Array.isArray(value) && value.length === 2);
    const flat = new Float64Array(all.length * 2);
    all.forEach((pair, i) => flat.set([finite(pair[0], LARGEST_NS), finite(pair[1])], 2 * i));
    return flat;
}
