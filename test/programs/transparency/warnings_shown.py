# SPDX-License-Identifier: Apache-2.0
"""Prints warnings on stderr."""
import warnings

warnings.warn("user", UserWarning)
warnings.warn("deprecated", DeprecationWarning)
warnings.warn("later", FutureWarning)
print(warnings.filters)
eval("1 is 1")
open("/dev/null")
