#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares waits, idle time and the GIL with programs that account for their own, everywhere."""
from __future__ import annotations

import sys

import accuracy
from lib import wait_checks

if __name__ == "__main__":
    sys.exit(accuracy.main(wait_checks.CHECKS, __doc__))
