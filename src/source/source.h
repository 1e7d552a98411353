/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a Python file as lines of clean UTF-8, with its outline. Files are read only here. */
#ifndef SCALENE_SOURCE_SOURCE_H
#define SCALENE_SOURCE_SOURCE_H

#include "base/err.h"
#include "base/map.h"
#include "source/outline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nobody reads a larger file line by line, and a device that never ends must not be read at all. */
#define SOURCE_MAX_BYTES (16u << 20)

struct source_line {
    size_t start, n_bytes; /* of the text, the line end left out */
};

struct source {
    char *text; /* owns; valid UTF-8 without zeros, lines ended by \n */
    size_t n_bytes;
    struct source_line *lines; /* owns; line 1 first */
    uint32_t n_lines;
    struct outline outline;
};

/* Reads a file: a byte order mark goes, \r\n and \r become \n, bytes that are not UTF-8 and zeros
 * become U+FFFD, or Latin-1 letters where the file declares such an encoding. */
bool source_load(struct source *s, const char *path, struct err *e);
/* Whether a file can be read and has a text in it: asked before the file is looked at closely. */
bool source_mentions(const char *path, const char *text);
/* The same as source_load from memory. */
void source_init(struct source *s, const char *bytes, size_t n_bytes);
void source_fini(struct source *s);

/* Every file once: loads what it is first asked for and keeps it. Zero-initialise. */
struct sources {
    struct map by_path;             /* to its place in `loaded`, from 1 */
    vec_of(struct source *) loaded; /* owns; NULL: cannot be read */
};

/* The source of a path, or NULL when it cannot be read. `sources` is a struct sources *. */
const struct source *sources_of(void *sources, const char *path);
/* From now on `path` is this text. */
void sources_put(struct sources *sources, const char *path, const char *text);
void sources_fini(struct sources *sources);

#endif
