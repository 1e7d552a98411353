// SPDX-License-Identifier: Apache-2.0
// The question in words: the code, what was measured on it, and what is wanted.
import type { Facts, LineOrRegion, Profile } from "./context";
import type { Prompt } from "./provider";

export type Goal = "time" | "memory";
export type Wish = { goal: Goal; useGpu: boolean };

const AIMS: Record<Goal, string> = {
    time: "You make Python code run faster. The time it takes is what counts; more memory may be used where that pays.",
    memory: "You make Python code need less memory: fewer and smaller objects, less alive at once, fewer copies. It may run a little slower where that pays.",
};

const RULES = [
    "First say in at most three sentences what you change and why the measurements speak for it.",
    "Then give one fenced Python code block that replaces the given lines and nothing else, at their indentation.",
    "It does exactly what the lines did, for every input. Imports it needs stand at its top.",
    "If there is nothing to be gained, say so and give no code.",
].join(" ");

const LIBRARIES = "NumPy, SciPy, pandas, scikit-learn, PyTorch, TensorFlow";
const GPU_LIBRARIES = "CuPy, PyTorch, JAX, RAPIDS";

/** Below this a number says nothing about the code. */
const NOTABLE = { percent: 0.5, mb: 1, mbPerS: 1 };

const percent = (share: number): string => `${share.toFixed(1)}%`;
const mb = (size: number): string => `${size >= 100 ? Math.round(size) : size.toFixed(1)} MB`;

function timeFacts(facts: Facts, profile: Profile): string[] {
    const total = facts.python + facts.native + facts.system;
    if (total < NOTABLE.percent) return [`hardly any of the program's time of ${profile.elapsedS.toFixed(2)} s`];
    const found = [
        `${percent(total)} of the program's time of ${profile.elapsedS.toFixed(2)} s: ${percent(facts.python)} in Python code, ` +
        `${percent(facts.native)} in native code, ${percent(facts.system)} in the system or waiting`,
    ];
    if (facts.coreUtilization > 0) found.push(`${percent(facts.coreUtilization * 100)} of the machine's ${profile.cpus || "available"} cores were busy meanwhile`);
    return found;
}

function memoryFacts(facts: Facts, profile: Profile): string[] {
    const found: string[] = [];
    if (facts.peakMb >= NOTABLE.mb)
        found.push(`held ${mb(facts.peakMb)} at its peak, ${percent(facts.pythonFraction * 100)} of it Python objects; the program's peak was ${mb(profile.peakMb)}`);
    if (facts.allocMb >= NOTABLE.mb) found.push(`allocated ${mb(facts.allocMb)} in all, ${mb(facts.liveMb)} still alive at the end`);
    if (facts.leakMbS > 0) found.push(`looks like a leak that grows by ${mb(facts.leakMbS)} a second`);
    if (facts.copyMbS >= NOTABLE.mbPerS) found.push(`copied ${mb(facts.copyMbS)} a second`);
    return found;
}

function gpuFacts(facts: Facts, useGpu: boolean): string[] {
    return useGpu && facts.gpuPercent >= NOTABLE.percent ? [`the GPU was busy for ${percent(facts.gpuPercent)} of the time`] : [];
}

/** What is asked for comes first. */
function measured(context: LineOrRegion, profile: Profile, wish: Wish): string {
    const time = timeFacts(context.facts, profile), memory = memoryFacts(context.facts, profile);
    const facts = wish.goal === "time" ? [...time, ...memory] : [...memory, ...time];
    return [...facts, ...gpuFacts(context.facts, wish.useGpu)].map((fact) => `- ${fact}`).join("\n");
}

const fenced = (code: string): string => `\`\`\`python\n${code}\n\`\`\``;

function place({ path, firstLine, lastLine }: LineOrRegion): string {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return firstLine === lastLine ? `line ${firstLine} of ${name}` : `lines ${firstLine} to ${lastLine} of ${name}`;
}

function libraries(wish: Wish): string {
    const gpu = wish.useGpu ? ` The work may be moved to a GPU (${GPU_LIBRARIES}) where that pays for the way there and back.` : "";
    return `Well-known libraries may be used where they help: ${LIBRARIES}.${gpu}`;
}

export function makePrompt(context: LineOrRegion, profile: Profile, wish: Wish): Prompt {
    const version = profile.pythonVersion ? ` (Python ${profile.pythonVersion})` : "";
    const parts = [
        `A profiler measured this about ${place(context)}${version}:\n${measured(context, profile, wish)}`,
        context.imports.length ? `The file imports:\n${fenced(context.imports.join("\n"))}` : "",
        context.before.trim() ? `What stands before it, for understanding only:\n${fenced(context.before)}` : "",
        `Make this ${wish.goal === "time" ? "faster" : "need less memory"}:\n${fenced(context.code)}`,
        libraries(wish),
    ];
    return { system: `${AIMS[wish.goal]} ${RULES}`, user: parts.filter((part) => part !== "").join("\n\n") };
}
