// SPDX-License-Identifier: Apache-2.0
// What threads and processes are called.
import type { Model, ThreadModel } from "./model";
import type { Lane } from "./parts";
import { count } from "./words";

export const nameOf = (thread: ThreadModel): string => thread.name || (thread.isMain ? "main thread" : `thread ${thread.tid}`);

/** Of upstream's timeline, which knows threads by the number that Python gives them. */
export function threadName(model: Model, ident: number): string {
    for (const process of model.processes) {
        const thread = process.threads.find((one) => one.ident === ident);
        if (thread) return nameOf(thread);
    }
    return ident === model.mainThread ? "main thread" : `thread ${ident}`;
}

/** "worker", or "work (12 threads)" where several are told together. */
function ownName(lane: Lane): string {
    return `${lane.name}${lane.threads > 1 ? ` (${count(lane.threads)} threads)` : ""}`;
}

/** In a sentence: "worker of process 4243", where there are several processes. */
export function laneName(model: Model, lane: number): string {
    const known = model.lanes[lane];
    if (!known) return `thread ${lane}`;
    const process = model.processes[known.process];
    const of = process ? ` of process ${process.pid}` : " of several processes";
    return `${ownName(known)}${model.processes.length > 1 ? of : ""}`;
}

/** Beside a lane, where there is little room: "4243 worker", what tells it from others first. */
export function laneLabel(model: Model, lane: number): string {
    const known = model.lanes[lane];
    const process = known && model.processes.length > 1 ? model.processes[known.process] : undefined;
    return `${process ? `${process.pid} ` : ""}${known ? ownName(known) : `thread ${lane}`}`;
}
