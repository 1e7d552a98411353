// SPDX-License-Identifier: Apache-2.0
// How the numbers came about and how far to trust them.
import type { JSX } from "preact";
import type { Model } from "../data/model";
import * as words from "../data/words";
import { whole } from "../state";

function facts(model: Model): [string, string][] {
    const { memory } = model;
    const started = model.startedAt > 0 ? new Date(model.startedAt * 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "";
    return [
        ["program", [model.program, ...model.args].join(" ")], ["started", started], ["wall time", words.seconds(model.elapsedS)],
        ["CPU time on lines", model.cpuS > 0 ? words.seconds(model.cpuS) : ""], ["idle time on lines", model.idleS > 0 ? words.seconds(model.idleS) : ""],
        ["CPU time on no line", model.outsideS > 0 ? words.seconds(model.outsideS) : ""],
        ["idle time on no line", model.outsideIdleS > 0 ? words.seconds(model.outsideIdleS) : ""],
        ["CPUs", model.cpus ? words.count(model.cpus) : ""], ["interpreter", model.executable], ["version", model.build || model.version],
        ["samples", model.samples ? `${words.count(model.samples)}, one per ${(1000 * model.periodS).toFixed(1)} ms of CPU time` : ""],
        ["taken by", model.engine], ["idle moments seen", model.looks ? words.count(model.looks) : ""], ["waits seen", model.waitsSeen && `from ${model.waitsSeen}`],
        ["cost in the program", model.agentS > 0 ? words.seconds(model.agentS) : ""], ["cost beside it", model.collectorS > 0 ? words.seconds(model.collectorS) : ""],
        ["memory samples", memory.samples ? words.count(memory.samples) : ""],
        ["allocated in all", memory.isOwn ? `${words.size(memory.pythonMb) || "0"} by Python, ${words.size(memory.nativeMb) || "0"} by native code` : ""],
        ["copied in all", words.size(memory.copiedMb)], ["left at the end", words.size(memory.liveMb)],
        ["peak", memory.peakMb > 0 ? words.size(memory.peakMb) + (memory.peakErrorMb > 0 && words.size(memory.peakErrorMb) ? ` ±${words.size(memory.peakErrorMb)}` : "") : ""],
        ["not measured", model.drops.map(({ reason, n }) => `${words.count(n)} ${reason}`).join(", ") || (model.engine ? "nothing was lost" : "")],
        ["written by", model.writer ? `scalene ${model.writer}` : "another profiler"], ["size of the profile", words.size(model.bytes / 1048576)],
    ];
}

export function RunView(): JSX.Element {
    return (
        <section class="view" aria-label="This run">
            <dl class="run">{facts(whole.value!).filter(([, value]) => value).map(([name, value]) => <div><dt>{name}</dt><dd><bdi>{value}</bdi></dd></div>)}</dl>
        </section>
    );
}
