/* SPDX-License-Identifier: Apache-2.0 */
/* Building of RECORD_RUN from the strings of the command line. */
#include "collect/run_record.h"

#include <string.h>
#include <time.h>

/* Bytes that are to become a record_string. */
struct piece {
    const char *bytes;
    size_t n;
    bool is_cut;
};

static struct piece piece_of(const char *text)
{
    struct piece piece = {.bytes = text ? text : ""};
    size_t n = strlen(piece.bytes);
    piece.is_cut = n > RECORD_STRING_MAX;
    piece.n = piece.is_cut ? RECORD_STRING_MAX : n;
    return piece;
}

/* The arguments one after the other, each with its zero; only whole ones, as many as fit. */
static struct piece piece_of_arguments(struct arena *arena, const char *const *arguments)
{
    struct piece piece = {.bytes = ""};
    char *bytes = arena_alloc(arena, RECORD_STRING_MAX);
    for (; arguments && *arguments; arguments++) {
        size_t n = strlen(*arguments) + 1;
        piece.is_cut = n > RECORD_STRING_MAX - piece.n;
        if (piece.is_cut)
            break;
        memcpy(bytes + piece.n, *arguments, n);
        piece.n += n;
    }
    piece.bytes = bytes;
    return piece;
}

const struct record_header *run_record(struct arena *arena, const struct collect_run *run)
{
    struct piece pieces[] = {piece_of(run->program), piece_of(run->entry_folder),
                             piece_of(run->program_path),
                             piece_of_arguments(arena, run->arguments)};
    struct timespec now;
    struct record_run *record = arena_alloc(arena, sizeof *record + 4 * (RECORD_STRING_MAX + 8));
    struct record_string *strings[] = {&record->program, &record->entry_folder,
                                       &record->program_path, &record->arguments};
    uint8_t *at = (uint8_t *)(record + 1);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        *strings[i] = (struct record_string){
            .n_chars = (uint32_t)pieces[i].n, .width = 1, .is_cut = pieces[i].is_cut};
        memcpy(at, pieces[i].bytes, pieces[i].n);
        at += record_string_bytes(strings[i]);
    }
    clock_gettime(CLOCK_REALTIME, &now);
    record->realtime_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    record->memory_mean = run->memory_mean;
    record->head.kind = RECORD_RUN;
    record->head.size = (uint32_t)(at - (uint8_t *)record);
    return &record->head;
}
