# SPDX-License-Identifier: Apache-2.0
"""Prints the classes that exist."""
print(sorted(c.__module__ + "." + c.__qualname__ for c in object.__subclasses__()))
print(sorted(c.__qualname__ for c in BaseException.__subclasses__()))
