/* SPDX-License-Identifier: Apache-2.0 */
/* Text of the target made into UTF-8, and paths made absolute, without looking at the disk. */
#ifndef SCALENE_ANALYZE_TEXT_H
#define SCALENE_ANALYZE_TEXT_H

#include "base/arena.h"

#include <stdint.h>

/* Characters of 1 (Latin-1), 2 or 4 bytes each, as CPython keeps strings, into UTF-8; what is no
 * character (lone surrogates, zero, beyond Unicode) becomes U+FFFD. */
char *text_from_python(struct arena *arena, const uint8_t *chars, size_t n_chars, unsigned width);
/* Bytes that should be UTF-8 (paths, arguments), bytes that are not replaced by U+FFFD. */
char *text_from_bytes(struct arena *arena, const uint8_t *bytes, size_t n_bytes);
/* Texts that each end in a zero byte, as a NULL-ended array. */
const char *const *text_list(struct arena *arena, const uint8_t *bytes, size_t n_bytes);

/* A file name as Python knows it, absolute by `cwd` and without "." and ".." in it. Names in angle
 * brackets, which are no files, stay as they are. */
char *text_absolute_path(struct arena *arena, const char *cwd, const char *name);

#endif
