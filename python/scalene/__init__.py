# SPDX-License-Identifier: Apache-2.0
"""Scalene, a CPU and memory profiler for Python: the thin layer above the program `scalene`.

Importing this changes nothing and starts nothing.
"""
