/* SPDX-License-Identifier: Apache-2.0 */
/* Records made by hand, for tests of what reads them. */
#ifndef SCALENE_TEST_RECORDS_H
#define SCALENE_TEST_RECORDS_H

#include "wire/record.h"

#include <stdlib.h>
#include <string.h>

/* One record under construction, aligned as the ring aligns them. */
struct draft {
    _Alignas(8) uint8_t bytes[65536];
    uint32_t size;
};

static inline struct record_header *draft_head(struct draft *draft)
{
    return (struct record_header *)draft->bytes;
}

/* Begins a record: its fixed part is zeroed and can be filled in through the pointer. */
static inline void *draft_begin(struct draft *draft, enum record_kind kind, size_t fixed_bytes)
{
    memset(draft->bytes, 0, fixed_bytes);
    draft->size = (uint32_t)fixed_bytes;
    *draft_head(draft) = (struct record_header){(uint32_t)fixed_bytes, (uint16_t)kind, 0};
    return draft->bytes;
}

static inline void draft_bytes(struct draft *draft, const void *bytes, size_t n)
{
    uint32_t padded = ((uint32_t)n + 7u) & ~7u;
    if (draft->size + padded > sizeof draft->bytes)
        abort();
    memset(draft->bytes + draft->size, 0, padded);
    if (n)
        memcpy(draft->bytes + draft->size, bytes, n);
    draft->size += padded;
    draft_head(draft)->size = draft->size;
}

/* Appends a string of one-byte characters and describes it in `string`. */
static inline void draft_string(struct draft *draft, struct record_string *string, const char *text)
{
    *string = (struct record_string){.n_chars = (uint32_t)strlen(text), .width = 1};
    draft_bytes(draft, text, strlen(text));
}

static inline struct record_header *draft_process(struct draft *draft, uint32_t pid,
                                                  const char *cwd)
{
    struct record_process *record = draft_begin(draft, RECORD_PROCESS, sizeof *record);
    record->pid = pid;
    record->time_ns = 1000000000;
    record->period_ns = 1000000;
    draft_string(draft, &record->cwd, cwd);
    draft_string(draft, &record->executable, "/usr/bin/python3");
    static const char arguments[] = "python3\0prog.py";
    record->arguments = (struct record_string){.n_chars = sizeof arguments, .width = 1};
    draft_bytes(draft, arguments, sizeof arguments);
    return draft_head(draft);
}

static inline struct record_header *draft_interpreter(struct draft *draft, uint32_t hexversion)
{
    struct record_interpreter *record = draft_begin(draft, RECORD_INTERPRETER, sizeof *record);
    record->hexversion = hexversion;
    draft_string(draft, &record->version, "3.9.18 (main)");
    draft_string(draft, &record->base_prefix, "/usr");
    draft_string(draft, &record->prefix, "/usr");
    return draft_head(draft);
}

/* A code object whose instruction at offset 2 * i is on line first_line + i (the format up to 3.9).
 */
static inline struct record_header *draft_code(struct draft *draft, uint32_t id, const char *path,
                                               const char *name, const char *qualname,
                                               int32_t first_line)
{
    struct record_code *record = draft_begin(draft, RECORD_CODE, sizeof *record);
    uint8_t table[100];
    for (size_t i = 0; i < sizeof table; i += 2) {
        table[i] = 2;
        table[i + 1] = 1;
    }
    record->id = id;
    record->first_line = first_line;
    record->code_bytes = sizeof table + 2;
    record->line_table_bytes = sizeof table;
    draft_string(draft, &record->filename, path);
    draft_string(draft, &record->name, name);
    if (qualname)
        draft_string(draft, &record->qualname, qualname);
    draft_bytes(draft, table, sizeof table);
    return draft_head(draft);
}

static inline struct record_header *draft_thread(struct draft *draft, uint32_t tid, uint64_t cpu_ns,
                                                 uint16_t flags)
{
    struct record_thread *record = draft_begin(draft, RECORD_THREAD, sizeof *record);
    record->head.flags = flags;
    record->tid = tid;
    record->ident = 1000 + tid;
    record->cpu_ns = cpu_ns;
    return draft_head(draft);
}

static inline struct record_header *draft_thread_end(struct draft *draft, uint32_t tid,
                                                     uint64_t cpu_ns)
{
    struct record_thread_end *record = draft_begin(draft, RECORD_THREAD_END, sizeof *record);
    record->tid = tid;
    record->cpu_ns = cpu_ns;
    return draft_head(draft);
}

/* Frames innermost first. */
static inline struct record_header *draft_sample(struct draft *draft, uint32_t tid, uint64_t cpu_ns,
                                                 const struct record_frame *frames, size_t n)
{
    struct record_sample *record = draft_begin(draft, RECORD_SAMPLE, sizeof *record);
    record->tid = tid;
    record->cpu_ns = cpu_ns;
    record->time_ns = 1000000000 + cpu_ns;
    record->n_frames = (uint16_t)n;
    draft_bytes(draft, frames, n * sizeof *frames);
    return draft_head(draft);
}

/* A wait or idle time; frames innermost first. */
static inline struct record_wait *draft_wait(struct draft *draft, enum record_kind kind,
                                             uint32_t tid, enum wait_kind wait, uint64_t wait_ns,
                                             const struct record_frame *frames, size_t n)
{
    struct record_wait *record = draft_begin(draft, kind, sizeof *record);
    record->time_ns = 2000000000;
    record->wait_ns = wait_ns;
    record->tid = tid;
    record->n_looks = 10;
    record->kind = (uint8_t)wait;
    record->n_frames = (uint16_t)n;
    draft_bytes(draft, frames, n * sizeof *frames);
    return record;
}

static inline void draft_pcs(struct draft *draft, const uint64_t *pcs, size_t n)
{
    ((struct record_sample *)draft->bytes)->n_pcs = (uint16_t)n;
    draft_bytes(draft, pcs, n * sizeof *pcs);
}

#endif
