/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings: all records of a run in a file, in the order the collector yielded them.
 *
 *      0         8         12        16
 *      +---------+---------+---------+ - - - - - - - - - - - -
 *      |  magic  | version | unused  |  chunks
 *      +---------+---------+---------+ - - - - - - - - - - - -
 *
 *      a chunk:  0         4         8
 *                +---------+---------+---------------- - -
 *                | process | unused  | one record, as in wire/record.h
 *                +---------+---------+---------------- - -
 *
 * The first record is RECORD_RUN. Process numbers appear in order: 0, then 1 at the earliest... */
#ifndef SCALENE_COLLECT_RECORDING_H
#define SCALENE_COLLECT_RECORDING_H

#include "base/err.h"
#include "wire/record.h"

#include <stdio.h>

#define RECORDING_MAGIC 0x0a31434552434c53ull /* "SLCREC1\n" */

struct recording_head {
    uint64_t magic;
    uint32_t version; /* WIRE_VERSION */
    uint32_t unused;
};

struct recording_chunk {
    uint32_t process;
    uint32_t unused;
};
static_assert(sizeof(struct recording_head) == 16, "file layout");
static_assert(sizeof(struct recording_chunk) == 8, "file layout");

struct recording {
    FILE *file;
    const char *path;     /* borrowed */
    uint8_t *buffer;      /* owns; reader: room for one record of any size */
    uint32_t n_processes; /* reader: seen so far */
    struct err trouble;   /* empty: none so far */
};

bool recording_create(struct recording *recording, const char *path, struct err *e);
/* A failed write is remembered in `trouble`; nothing is written after it. */
void recording_write(struct recording *recording, uint32_t process,
                     const struct record_header *record);
void recording_flush(struct recording *recording);

/* False when the file is no recording of this version. */
bool recording_open(struct recording *recording, const char *path, struct err *e);
/* False at the end; where the file is cut off or makes no sense, `trouble` says so. */
bool recording_read(struct recording *recording, uint32_t *process,
                    const struct record_header **record);

/* For both; errors of the last write are in `trouble` afterwards. */
void recording_close(struct recording *recording);

#endif
