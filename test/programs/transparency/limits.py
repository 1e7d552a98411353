# SPDX-License-Identifier: Apache-2.0
"""Prints limits, priorities, masks and marks of the process."""
import os
import resource

for name in sorted(n for n in dir(resource) if n.startswith("RLIMIT_")):
    print(name, resource.getrlimit(getattr(resource, name)))
print(os.umask(0), os.getpriority(os.PRIO_PROCESS, 0), sorted(os.sched_getaffinity(0)))
print(os.sched_getscheduler(0), os.getuid(), os.geteuid(), os.getgroups())
for name in ("oom_score_adj", "coredump_filter", "personality", "timerslack_ns", "comm"):
    print(name, open("/proc/self/" + name).read().strip())
for line in open("/proc/self/status"):
    if line.startswith(("TracerPid", "NoNewPrivs", "Seccomp:", "THP_enabled", "Cap", "Umask")):
        print(line.strip())
