// SPDX-License-Identifier: Apache-2.0
// The page as a whole.
import { batch } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Model } from "../data/model";
import { client, isBusy, isSelected, model, narrowed, narrowedTo, route, selection, status, trouble, whole, type Tab } from "../state";
import { CompareView } from "./CompareView";
import { Empty } from "./Empty";
import { FlameView } from "./FlameView";
import { Header, readFile } from "./Header";
import { Help } from "./Help";
import { Processes } from "./Processes";
import { RunView } from "./RunView";
import { Summary } from "./Summary";
import { Table } from "./Table";
import { Tabs } from "./Tabs";
import { TimelineView } from "./TimelineView";
import { Waits } from "./Waits";

const VIEWS: { readonly [T in Tab]: (props: { model: Model }) => JSX.Element } = {
    lines: ({ model: shown }) => <Table model={shown} of="lines" />,
    functions: ({ model: shown }) => <Table model={shown} of="functions" />,
    flame: FlameView, timeline: TimelineView, waits: Waits, processes: Processes, compare: CompareView, run: RunView,
};

/** Asks for the part of the profile that the address selects. */
function useSelection(): void {
    useEffect(() => {
        let isGone = false;
        const wanted = selection.value;
        if (!isSelected.value) narrowed.value = null;
        else void client.ask("narrow", { selection: wanted }).then(
            (part) => { if (!isGone) batch(() => { narrowed.value = part; narrowedTo.value = wanted; }); },
            (e: Error) => { trouble.value = e.message; });
        return () => { isGone = true; };
    }, [selection.value, whole.value]);
}

function useDrop(): void {
    useEffect(() => {
        const over = (event: DragEvent): void => event.preventDefault();
        const drop = (event: DragEvent): void => {
            event.preventDefault();
            const file = event.dataTransfer?.files[0];
            if (file) void readFile("profile", file);
        };
        addEventListener("dragover", over);
        addEventListener("drop", drop);
        return () => {
            removeEventListener("dragover", over);
            removeEventListener("drop", drop);
        };
    }, []);
}

export function App(): JSX.Element {
    useSelection();
    useDrop();
    const shown = status.value === "ready" ? model.value : null;
    const View = VIEWS[route.value.tab];
    return (
        <>
            <Header model={shown} />
            <main aria-busy={isBusy.value}>
                {shown ? <><Summary model={shown} /><Tabs model={shown} /><View model={shown} /></> : <Empty />}
            </main>
            <Help />
        </>
    );
}
