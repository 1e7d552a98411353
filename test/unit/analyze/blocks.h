/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that come and go in a process made by hand, for tests of what is told of memory. */
#ifndef SCALENE_TEST_BLOCKS_H
#define SCALENE_TEST_BLOCKS_H

#include "analyze/profile.h"

#include "../records.h"

#define S   UINT64_C(1000000000)
#define MIB 1048576.0

static struct draft draft;

/* A process that began at 1 s, with f() of prog.py; stack n is line 9 + n, n from 1 to 9, stack 10
 * is a library's. */
static inline void describe(struct profile *profile, uint32_t process)
{
    profile_add(profile, process, draft_process(&draft, 100 + process, "/home/me"));
    profile_add(profile, process, draft_interpreter(&draft, 0x030912f0));
    profile_add(profile, process, draft_code(&draft, 1, "/home/me/prog.py", "f", NULL, 10));
    profile_add(profile, process, draft_code(&draft, 2, "/usr/lib/python3.9/re.py", "g", NULL, 5));
    for (uint32_t id = 1; id <= 10; id++) {
        struct record_frame frame = {id == 10 ? 2 : 1, (int32_t)(2 * (id - 1))};
        struct record_stack *record = draft_begin(&draft, RECORD_STACK, sizeof *record);
        record->id = id;
        record->n_frames = 1;
        draft_bytes(&draft, &frame, sizeof frame);
        profile_add(profile, process, draft_head(&draft));
    }
}

static inline struct profile *new_profile(void)
{
    const struct profile_input input = {.filter = {.program_path = "/home/me"}};
    struct profile *profile = profile_new(&input);
    describe(profile, 0);
    return profile;
}

static inline struct record_alloc *begin_alloc(uint64_t time_ns, uint64_t address, uint64_t size,
                                               uint32_t stack)
{
    struct record_alloc *record = draft_begin(&draft, RECORD_ALLOC, sizeof *record);
    record->head.flags = ALLOC_IS_EXACT;
    record->time_ns = S + time_ns;
    record->address = address;
    record->size = size;
    record->mean = 32768;
    record->stack = stack;
    record->domain = address ? MEMORY_PYTHON : MEMORY_COPIED;
    return record;
}

static inline void alloc(struct profile *profile, uint32_t process, uint64_t time_ns,
                         uint64_t address, uint64_t size, uint32_t stack)
{
    begin_alloc(time_ns, address, size, stack);
    profile_add(profile, process, draft_head(&draft));
}

static inline void give_back(struct profile *profile, uint32_t process, uint64_t time_ns,
                             uint64_t address, uint16_t flags)
{
    struct record_free *record = draft_begin(&draft, RECORD_FREE, sizeof *record);
    record->head.flags = flags;
    record->time_ns = S + time_ns;
    record->address = address;
    profile_add(profile, process, draft_head(&draft));
}

static inline void end(struct profile *profile, uint32_t process, uint64_t time_ns)
{
    struct record_end *record = draft_begin(&draft, RECORD_END, sizeof *record);
    record->time_ns = S + time_ns;
    profile_add(profile, process, draft_head(&draft));
}

static inline struct profile_memory line(const struct profile_result *result, int lineno)
{
    for (size_t i = 0; result->n_files && i < result->files[0].n_lines; i++)
        if (result->files[0].lines[i].lineno == lineno)
            return result->files[0].lines[i].memory;
    return (struct profile_memory){0};
}

#endif
