/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 one code point at a time, strictly: overlong forms and surrogates are not UTF-8. */
#ifndef SCALENE_SOURCE_UTF8_H
#define SCALENE_SOURCE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffdu

/* The bytes of the first code point of text[0..n_bytes), or 0 when they are not UTF-8. */
size_t utf8_decode(const char *text, size_t n_bytes, uint32_t *code_point);
/* Writes up to 4 bytes and returns how many. */
size_t utf8_append(char bytes[4], uint32_t code_point);

#endif
