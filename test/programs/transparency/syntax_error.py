# SPDX-License-Identifier: Apache-2.0
"""Shows a file that Python refuses."""
print("never seen")
def broken(:
    pass
