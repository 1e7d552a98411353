// SPDX-License-Identifier: Apache-2.0
// A long list of which only what is on the screen is in the page. It scrolls with the window. Heights
// are known by kind; those of open details are measured.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";

type Props<T> = {
    items: T[];
    keyOf: (item: T) => string;
    heightOf: (item: T) => number;
    /** Whether the height is only a guess, to be measured. */
    isMeasured: (item: T) => boolean;
    render: (item: T, index: number) => ComponentChildren;
    /** Scrolls there whenever it changes. */
    target: { index: number; token: string } | null;
};

/** Rows beyond the edges that are kept ready. */
const MARGIN_PX = 600;
/** A printed page has all rows, up to a limit no printer should go beyond. */
const PRINTED_PX = 60_000;

type Window = { top: number; bottom: number };

function useWindow(host: { current: HTMLElement | null }): Window {
    const [seen, setSeen] = useState<Window>({ top: 0, bottom: innerHeight + MARGIN_PX });
    useLayoutEffect(() => {
        const look = (): void => {
            const above = -(host.current?.getBoundingClientRect().top ?? 0);
            setSeen({ top: above - MARGIN_PX, bottom: above + innerHeight + MARGIN_PX });
        };
        const all = (): void => setSeen({ top: 0, bottom: PRINTED_PX });
        look();
        addEventListener("scroll", look, { passive: true });
        addEventListener("resize", look);
        addEventListener("beforeprint", all);
        addEventListener("afterprint", look);
        return () => {
            removeEventListener("scroll", look);
            removeEventListener("resize", look);
            removeEventListener("beforeprint", all);
            removeEventListener("afterprint", look);
        };
    }, []);
    return seen;
}

/** The last index whose offset is not beyond `px`. */
function indexAt(offsets: Float64Array, px: number): number {
    let [low, high] = [0, offsets.length - 2];
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (offsets[middle] <= px) low = middle;
        else high = middle - 1;
    }
    return low;
}

type SlotProps = { top: number; onHeight: ((height: number) => void) | null; children: ComponentChildren };

function Slot({ top, onHeight, children }: SlotProps): JSX.Element {
    const element = useRef<HTMLDivElement>(null);
    useLayoutEffect(() => {
        if (!onHeight || !element.current) return;
        const watch = new ResizeObserver(() => element.current && onHeight(element.current.offsetHeight));
        watch.observe(element.current);
        return () => watch.disconnect();
    }, [onHeight === null]);
    return (
        <div ref={element} class="slot" role="presentation" style={{ transform: `translateY(${top}px)` }}>
            {children}
        </div>
    );
}

export function VirtualList<T>({ items, keyOf, heightOf, isMeasured, render, target }: Props<T>): JSX.Element {
    const host = useRef<HTMLDivElement>(null);
    const [measured, setMeasured] = useState<ReadonlyMap<string, number>>(new Map());
    const { top, bottom } = useWindow(host);
    const offsets = useMemo(() => {
        const sums = new Float64Array(items.length + 1);
        items.forEach((item, i) => (sums[i + 1] = sums[i] + (measured.get(keyOf(item)) ?? heightOf(item))));
        return sums;
    }, [items, measured]);

    useLayoutEffect(() => {
        if (!target || target.index < 0 || !host.current) return;
        const y = host.current.getBoundingClientRect().top + scrollY + offsets[target.index];
        const isVisible = y > scrollY + 110 && y < scrollY + innerHeight - 80;
        if (!isVisible) scrollTo({ top: y - innerHeight / 3 });
    }, [target?.token]);

    const measure = (key: string) => (height: number): void =>
        setMeasured((known) => (known.get(key) === height ? known : new Map([...known, [key, height]])));

    const first = items.length ? indexAt(offsets, top) : 0;
    const last = items.length ? indexAt(offsets, bottom) : -1;
    return (
        <div ref={host} class="list" role="rowgroup" style={{ height: `${offsets[items.length]}px` }}>
            {items.slice(first, last + 1).map((item, k) => (
                <Slot key={keyOf(item)} top={offsets[first + k]} onHeight={isMeasured(item) ? measure(keyOf(item)) : null}>
                    {render(item, first + k)}
                </Slot>
            ))}
        </div>
    );
}
