# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks and the accuracy tests share: interpreters, runs, profiles, checks."""
