# SPDX-License-Identifier: Apache-2.0
"""What is promised of the cost of profiling."""
from __future__ import annotations

from .ratios import Bound
from .tools import FULL, OURS
from .workloads import ALLOCATION, PYPERFORMANCE, SWITCHING

ORDINARY = (PYPERFORMANCE, SWITCHING)
BOUNDS = (
    Bound(OURS, ORDINARY, "wall", False, 1.01),
    Bound(OURS, ORDINARY, "wall", True, 1.03),
    Bound(OURS, ORDINARY, "CPU", True, 1.03),
    Bound(FULL, ORDINARY, "wall", False, 1.05),
    Bound(FULL, ORDINARY, "wall", True, 1.15),
    Bound(FULL, (ALLOCATION,), "wall", True, 1.10),
)
