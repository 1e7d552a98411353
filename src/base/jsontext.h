/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a text is JSON, without making anything of it. */
#ifndef SCALENE_BASE_JSONTEXT_H
#define SCALENE_BASE_JSONTEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Deeper than any profile, and than what recursive readers like. */
#define JSONTEXT_DEPTH_MAX 1024

/* Whether the bytes are one JSON object (RFC 8259) and white space. Takes a second for some hundred
 * megabytes and no memory, where reading them into a tree takes four times their size. */
bool jsontext_is_object(const char *bytes, size_t n);

#endif
