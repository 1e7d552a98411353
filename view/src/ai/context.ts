// SPDX-License-Identifier: Apache-2.0
// What the page hands to the proposals: the place, its code, and what was measured there.

/** Shares are percents of the program's time, sizes MiB; what was not measured is 0. */
export type Facts = {
    python: number;
    native: number;
    system: number;
    coreUtilization: number;
    peakMb: number;
    allocMb: number;
    liveMb: number;
    pythonFraction: number;
    copyMbS: number;
    gpuPercent: number;
    leakMbS: number;
};

/** A line, or the loop, function or class around it. */
export type LineOrRegion = {
    kind: "line" | "region";
    path: string;
    firstLine: number;
    lastLine: number;
    code: string;
    /** Up to nine lines before it. */
    before: string;
    imports: string[];
    facts: Facts;
};

/** What of the profile does not depend on the line. */
export type Profile = {
    program: string;
    pythonVersion: string;
    elapsedS: number;
    cpus: number;
    hasGpu: boolean;
    peakMb: number;
};
