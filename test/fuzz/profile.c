/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as records: the profile must hold together whatever a target writes.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -std=gnu11 -D_GNU_SOURCE -Isrc \
 *         test/fuzz/profile.c src/analyze/[a-z]*.c src/symbol/[a-z]*.c src/base/[a-z]*.c
 *
 * The input is a sequence of kind, process, n and flags, one byte each, and n words that follow the
 * record's header; what is missing of its fixed part is zero. Kind 255 makes the words a
 * well-formed sample instead, kind 254 a well-formed wait, kind 253 well-formed records of memory,
 * of the process that every run begins with, so that what comes after the checks is reached too. */
#include "analyze/profile.h"

#include "../unit/image.h"
#include "../unit/records.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define RECORD_WORDS 400

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static double seconds(const struct cost *cost)
{
    return cost->python_s + cost->native_s + cost->system_s;
}

/* Time is neither lost nor made. */
static void check(const struct profile_result *result)
{
    double stacks = 0, clocks = 0, idle = 0, gil = 0, total = seconds(&result->total);
    for (size_t i = 0; i < result->n_stacks; i++)
        stacks += seconds(&result->stacks[i].cost);
    for (size_t i = 0; i < result->n_processes; i++)
        clocks += result->processes[i].cpu_s, idle += result->processes[i].idle_s;
    for (size_t i = 0; i < result->n_gil; i++)
        gil += result->gil[i].seconds;
    double tolerance = 1e-6 * (1 + clocks + idle + gil);
    assert(fabs(stacks - total) <= tolerance);
    assert(fabs(clocks - total + result->total.idle_s - result->outside_s) <= tolerance);
    assert(fabs(idle - result->total.idle_s - result->outside_idle_s) <= tolerance);
    assert(result->n_gil <= 200 && fabs(gil - result->waits_s[WAIT_GIL]) <= tolerance);
}

/* So is memory: what lines and the outside have is what the whole has. */
static void check_memory(const struct profile_result *result)
{
    const struct profile_heap *heap = &result->heap;
    double allocated = heap->outside.allocated, live = heap->outside.live;
    double at_peak = heap->outside.at_peak, stacks = 0;
    for (size_t i = 0; i < result->n_files; i++)
        for (size_t k = 0; k < result->files[i].n_lines; k++) {
            const struct profile_memory *memory = &result->files[i].lines[k].memory;
            allocated += memory->allocated;
            live += memory->live;
            at_peak += memory->at_peak;
            assert(memory->n_points <= 100 && memory->average <= memory->largest);
        }
    for (size_t i = 0; i < heap->n_stacks; i++)
        stacks += heap->stacks[i].allocated;
    double tolerance = 1e-6 * (1 + heap->total.allocated + heap->total.live);
    assert(fabs(allocated - heap->total.allocated) <= tolerance);
    assert(fabs(stacks + heap->outside.allocated - heap->total.allocated) <= tolerance);
    assert(fabs(live - heap->total.live) <= tolerance);
    assert(fabs(at_peak - heap->peak.bytes) <= tolerance + 1e-6 * heap->peak.bytes);
    assert(heap->n_resident <= 100 && heap->total.n_points <= 100);
}

/* What threads have, by process and in all, is what the whole has; and there are not too many. */
static void check_timeline(const struct profile_result *result)
{
    const struct profile_timeline *timeline = &result->timeline;
    double cpu = 0, idle = 0, rest = 0, loose = 0, outside = 0, total = seconds(&result->total);
    assert(timeline->n_slices <= 256 && timeline->n_parts <= 256 + 257);
    for (size_t i = 0; i < timeline->n_parts; i++) {
        const struct profile_part *part = &timeline->parts[i];
        outside += part->outside_s;
        for (size_t k = 0; k < part->n_cells; k++) {
            const struct profile_cell *cell = &part->cells[k];
            assert(cell->site < timeline->n_sites && cell->kind < PROFILE_KINDS);
            *(cell->kind == KIND_IDLE ? &idle : &cpu) += cell->seconds;
            loose += cell->slice == PROFILE_NONE ? cell->seconds : 0;
        }
        for (size_t k = 0; k < part->n_rest; k++)
            rest += part->rest[k].seconds;
    }
    double tolerance = 1e-6 * (1 + total + outside);
    assert(fabs(cpu - (total - result->total.idle_s)) <= tolerance);
    assert(fabs(idle - result->total.idle_s) <= tolerance);
    assert(fabs(outside - result->outside_s) <= tolerance + 1e-9 * (double)timeline->n_parts);
    assert(fabs(rest - loose) <= tolerance);
}

static void check_all(const struct profile_result *result)
{
    check(result);
    check_timeline(result);
    check_memory(result);
}

/* A table of how long the records are, so that whole ones are common. */
static const uint16_t fixed_bytes[] = {
    8,
    sizeof(struct record_process),
    sizeof(struct record_interpreter),
    sizeof(struct record_module),
    sizeof(struct record_code),
    sizeof(struct record_thread),
    sizeof(struct record_thread_end),
    sizeof(struct record_sample),
    sizeof(struct record_end),
    sizeof(struct record_run),
    sizeof(struct record_wait),
    sizeof(struct record_wait),
    sizeof(struct record_stack),
    sizeof(struct record_alloc),
    sizeof(struct record_free),
    sizeof(struct record_resident),
};

/* Every module is the same small file, with calls and jumps in it. */
static const struct elf_image *image_of(void *context, const struct record_module *m,
                                        const char *path)
{
    static struct image image;
    static struct elf_image elf;
    (void)context, (void)m, (void)path;
    if (!elf.file) {
        image_make(&image);
        for (unsigned i = 0; i + 1 < IMAGE_FUNCTIONS; i++) {
            image_branch(&image, image_function(i) + 8, 0xe8, image_function(i + 1));
            image_branch(&image, image_function(i) + 16, 0xe9, image_function(i / 2));
            image_call_pointer(&image, image_function(i) + 32, 0x30);
        }
        elf_parse(&elf, image.bytes, sizeof image.bytes);
    }
    return &elf;
}

/* Process 0: function 0 of the image is its evaluation loop, codes 1 to 7 are its functions. */
static void describe(struct profile *profile, struct draft *draft)
{
    static const char *const names[] = {"<module>", "f", "<listcomp>", "g"};
    profile_add(profile, 0, draft_process(draft, 1, "/home/me"));
    struct record_interpreter *record = (void *)draft_interpreter(draft, 0x030c01f0);
    record->n_eval_parts = record->n_probes = 1;
    record->eval_parts[0].low = image_function(0);
    record->eval_parts[0].high = image_function(1);
    record->probes[0] = (struct record_probe){image_function(0), PROBE_EVAL, 0};
    profile_add(profile, 0, &record->head);
    struct record_module *module = draft_begin(draft, RECORD_MODULE, sizeof *module);
    module->low = IMAGE_CODE;
    module->high = IMAGE_EH_HEADER;
    draft_string(draft, &module->path, "/usr/bin/python3");
    profile_add(profile, 0, &module->head);
    for (uint32_t id = 1; id < 8; id++)
        profile_add(profile, 0, draft_code(draft, id, "prog.py", names[id % 4], NULL, 10));
    profile_add(profile, 0, draft_code(draft, CODE_ID_OUTSIDE | 3, "prog.py", "h", NULL, 90));
    for (uint32_t tid = 0; tid < 3; tid++)
        profile_add(profile, 0, draft_thread(draft, tid, 0, tid == 0 ? THREAD_IS_MAIN : 0));
}

/* Half of the bytes, two each, are frames; the others addresses in the image, up to the loop. */
static void add_sample(struct profile *profile, struct draft *draft, uint8_t flags, uint64_t cpu_ns,
                       const uint8_t *bytes, size_t n)
{
    struct record_frame frames[512];
    uint64_t pcs[512];
    size_t n_frames = 0, n_pcs = 0;
    for (size_t i = 0; i + 4 <= n && n_frames < 500; i += 4) {
        frames[n_frames++] = (struct record_frame){bytes[i] % 9u, bytes[i + 1] - 1};
        pcs[n_pcs++] = IMAGE_CODE + ((256u * bytes[i + 2] + bytes[i + 3]) & 0x1fffu);
    }
    pcs[n_pcs++] = image_function(0) + 13;
    struct record_sample *sample =
        (void *)draft_sample(draft, flags & 3u, cpu_ns, frames, n_frames);
    sample->head.flags = flags >> 2;
    sample->opcode = flags & 64 ? 171 : n ? bytes[n - 1] : 0;
    draft_pcs(draft, pcs, n_pcs);
    profile_add(profile, 0, &sample->head);
}

/* Allocations, frees and stacks of few addresses and few stacks, so that they meet. */
static void add_memory(struct profile *profile, struct draft *draft, uint8_t flags,
                       uint64_t time_ns, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i + 4 <= n; i += 4) {
        uint64_t now_ns = 1000000000 + time_ns + 1000000u * i;
        if (bytes[i] & 1) {
            struct record_free *record = draft_begin(draft, RECORD_FREE, sizeof *record);
            *record = (struct record_free){record->head, now_ns, bytes[i + 1] % 32u};
            record->head.flags = (bytes[i] & 254) == 254;
        } else if (bytes[i] & 2) {
            struct record_stack *record = draft_begin(draft, RECORD_STACK, sizeof *record);
            struct record_frame frame = {bytes[i + 1] % 9u, bytes[i + 2]};
            record->id = bytes[i + 3] % 8u;
            record->n_frames = 1;
            draft_bytes(draft, &frame, sizeof frame);
        } else {
            struct record_alloc *record = draft_begin(draft, RECORD_ALLOC, sizeof *record);
            record->head.flags = bytes[i] >> 6;
            record->time_ns = now_ns;
            record->domain = (bytes[i] >> 2) % 4;
            record->address = record->domain == MEMORY_COPIED ? 0 : bytes[i + 1] % 32u;
            record->size = (uint64_t)bytes[i + 2] << (flags & 31);
            record->mean = 1000;
            record->stack = bytes[i + 3] % 8u;
        }
        profile_add(profile, flags >> 7, draft_head(draft));
    }
}

/* The first bytes say what was waited for and by whom, the others are frames. */
static void add_wait(struct profile *profile, struct draft *draft, uint8_t flags, uint64_t time_ns,
                     const uint8_t *bytes, size_t n)
{
    struct record_frame frames[512];
    size_t n_frames = 0;
    for (size_t i = 2; i + 2 <= n && n_frames < 500; i += 2) {
        uint32_t outside = bytes[i] & 16 ? CODE_ID_OUTSIDE : 0;
        frames[n_frames++] = (struct record_frame){bytes[i] % 9u | outside, bytes[i + 1] - 1};
    }
    enum record_kind kind = flags & 4 ? RECORD_IDLE : RECORD_WAIT;
    struct record_wait *record = draft_wait(draft, kind, flags & 3u, n ? bytes[0] % 9u : 0,
                                            n > 1 ? 1000u * bytes[1] : 0, frames, n_frames);
    record->time_ns = 1000000000 + time_ns - 1000000u * (flags >> 3);
    record->holder_ident = 1000 + (flags >> 6);
    profile_add(profile, 0, &record->head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static uint64_t record[RECORD_WORDS];
    static struct draft draft;
    uint64_t cpu_ns = 0;
    struct profile_input input = {
        .filter = {.is_all = n & 1, .program_path = "/"}, .image_of = image_of, .max_stacks = 2};
    struct profile *profile = profile_new(&input);
    describe(profile, &draft);
    while (n >= 4) {
        uint8_t kind = data[0], process = data[1], n_words = data[2], flags = data[3];
        size_t n_bytes = n_words * 8u < n - 4 ? n_words * 8u : n - 4;
        size_t fixed = kind < sizeof fixed_bytes / sizeof *fixed_bytes ? fixed_bytes[kind] : 8;
        struct record_header head = {(uint32_t)(fixed + ((n_bytes + 7) & ~7u)), kind, flags};
        if (flags & 0x80) /* cut short */
            head.size = (uint32_t)((n_bytes + 15) & ~7u);
        memset(record, 0, sizeof record);
        memcpy(record, &head, sizeof head);
        memcpy(record + 1, data + 4, n_bytes);
        if (kind == 255)
            add_sample(profile, &draft, flags, cpu_ns += 1000000, data + 4, n_bytes);
        else if (kind == 254)
            add_wait(profile, &draft, flags, cpu_ns, data + 4, n_bytes);
        else if (kind == 253)
            add_memory(profile, &draft, flags, cpu_ns += 1000000, data + 4, n_bytes);
        else
            profile_add(profile, process & 3, (const struct record_header *)record);
        if (process & 4)
            check_all(profile_finish(profile));
        data += 4 + n_bytes;
        n -= 4 + n_bytes;
    }
    check_all(profile_finish(profile));
    profile_free(profile);
    return 0;
}
