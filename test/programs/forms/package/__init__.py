# SPDX-License-Identifier: Apache-2.0
"""A package to be run by -m."""
