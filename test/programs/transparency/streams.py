# SPDX-License-Identifier: Apache-2.0
"""Prints the standard streams and the locale."""
import locale
import sys

print(locale.setlocale(locale.LC_ALL), locale.getpreferredencoding(False), sys.getfilesystemencoding())
for stream in (sys.stdin, sys.stdout, sys.stderr):
    print(stream.name, stream.encoding, stream.errors, stream.line_buffering, stream.isatty(),
          stream.write_through, stream.mode, stream.fileno())
print(sys.stdin.read())
