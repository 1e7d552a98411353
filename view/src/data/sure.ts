// SPDX-License-Identifier: Apache-2.0
// How sure a share is: the rules of src/report/json.c, for shares of a selection.

/** Half the width of Wilson's 95% interval, in points. */
function errorPoints(fraction: number, n: number): number {
    const z = 1.959964;
    if (!(n > 0)) return 100;
    const p = Math.min(1, Math.max(0, fraction));
    return (100 * z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
}

/** Seconds of CPU and idle time, and what they rest on. */
export type Sum = { cpuS: number; idleS: number; samples: number; looks: number };

/** The error of one of all, in points: samples tell whose the CPU time is, looks whose the idle time.
 * `even`: samples of the same weight that would tell as much as one taken. */

export function costError(one: Sum, all: Sum, even: number): number {
    const total = all.cpuS + all.idleS;
    if (one.samples + one.looks === 0 || !(total > 0)) return 0;
    const cpu = all.cpuS > 0 ? (all.cpuS / total) * errorPoints(one.cpuS / all.cpuS, even * all.samples) : 0;
    const idle = all.idleS > 0 ? (all.idleS / total) * errorPoints(one.idleS / all.idleS, all.looks) : 0;
    return Math.min(100, Math.hypot(cpu, idle));
}
