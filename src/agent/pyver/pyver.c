/* SPDX-License-Identifier: Apache-2.0 */
/* A row per CPython version (64 bit, with GIL), taken from its headers; test/e2e runs each of them.
 * 3.13 and later publish their offsets at the start of _PyRuntime: those win over the row. */
#include "agent/pyver/pyver.h"

#include "agent/peek.h"

#include <stddef.h>
#include <string.h>

#include "agent/safe.h"

#define NONE LAYOUT_NONE

/* clang-format off */
static const struct py_layout layouts[] = {
/*  3.x tstate cframe   frame            instruction     code                                                  func  str
        frame  cur prev code inst prev own                bytes obj    table first flags file name qual  vector ascii compact kind thread_id, and what boot finds */
    { 8, 24, NONE, NONE, 32, 104, 24, NONE, INSTR_BYTES,    48, true,  120, 40, 36, 104, 112, NONE, 112, 48, 72, 2, 176, NONE, 0, 0, 0},
    { 9, 24, NONE, NONE, 32, 104, 24, NONE, INSTR_BYTES,    48, true,  120, 40, 36, 104, 112, NONE, 112, 48, 72, 2, 176, NONE, 0, 0, 0},
    {10, 24, NONE, NONE, 32,  96, 24, NONE, INSTR_UNITS,    48, true,  120, 40, 36, 104, 112, NONE, 120, 48, 72, 2, 176, NONE, 0, 0, 0},
    {11, 56,    8,   16, 32,  56, 48,   69, INSTR_POINTER, 184, false, 136, 72, 48, 112, 120,  128, 120, 48, 72, 2, 152, NONE, 0, 0, 0},
    {12, 56,    0,    8,  0,  56,  8,   70, INSTR_POINTER, 192, false, 136, 68, 48, 112, 120,  128, 128, 40, 56, 2, 136, NONE, 0, 0, 0},
    {13, 72, NONE, NONE,  0,  56,  8,   70, INSTR_POINTER, 200, false, 136, 68, 48, 112, 120,  128, 128, 40, 56, 2, 152, NONE, 0, 0, 0},
    {14, 72, NONE, NONE,  0,  56,  8,   74, INSTR_POINTER, 208, false, 136, 68, 48, 112, 120,  128, 136, 40, 56, 2, 152, NONE, 0, 0, 0},
    {15, 72, NONE, NONE,  0,  56,  8,   74, INSTR_POINTER, 208, false, 136, 68, 48, 112, 120,  128, 136, 40, 56, 2, 152, NONE, 0, 0, 0},
};
/* clang-format on */

/* Where the published sections begin, in words from _PyRuntime, by version. */
static const struct published {
    int minor, thread_state, frame, code;
} published[] = {
    {13, 19, 28, 34},
    {14, 22, 31, 39},
    {15, 22, 39, 47},
};

static void correct(int32_t *offset, uint64_t runtime, int word)
{
    uint64_t value;
    if (peek_u64(runtime + 8 * (uint64_t)word, &value) && value < 1024)
        *offset = (int32_t)value;
}

static void correct_by_published(struct py_layout *l, uint64_t runtime, const struct published *p)
{
    correct(&l->tstate_frame, runtime, p->thread_state + 4);
    correct(&l->frame_previous, runtime, p->frame + 1);
    correct(&l->frame_code, runtime, p->frame + 2);
    correct(&l->frame_instr, runtime, p->frame + 3);
    correct(&l->frame_owner, runtime, p->frame + 5);
    correct(&l->code_filename, runtime, p->code + 1);
    correct(&l->code_name, runtime, p->code + 2);
    correct(&l->code_qualname, runtime, p->code + 3);
    correct(&l->code_line_table, runtime, p->code + 4);
    correct(&l->code_first_line, runtime, p->code + 5);
    correct(&l->code_bytecode, runtime, p->code + 9);
}

bool pyver_find(uint32_t hexversion, uint64_t runtime, struct py_layout *layout)
{
    int minor = (int)(hexversion >> 16 & 0xff);
    size_t n = sizeof layouts / sizeof *layouts, i = 0;
    while (i < n && layouts[i].minor != minor)
        i++;
    if (i == n || hexversion >> 24 != 3)
        return false;
    *layout = layouts[i];
    char cookie[8];
    if (!runtime || !peek_bytes(runtime, cookie, 8) || memcmp(cookie, "xdebugpy", 8) != 0)
        return true;
    if (peek_word(runtime + 16)) /* free-threaded: other layouts */
        return false;
    for (i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].minor == minor)
            correct_by_published(layout, runtime, &published[i]);
    return true;
}

/* Where the GIL's record is: in _PyRuntime, since 3.12 behind a pointer in the interpreter's state,
 * since 3.13 at a published place there. */
static const struct {
    int minor;
    int in_runtime;     /* LAYOUT_NONE: look in the interpreter's state */
    int in_interpreter; /* the offset of a pointer to it */
    int published;      /* the word of _PyRuntime that says that offset; LAYOUT_NONE: none does */
} gil_places[] = {
    {8, 1152, NONE, NONE}, {9, 352, NONE, NONE}, {10, 352, NONE, NONE}, {11, 360, NONE, NONE},
    {12, NONE, 384, NONE}, {13, NONE, 16, 14},   {14, NONE, 16, 15},    {15, NONE, 16, 15},
};

#define TSTATE_INTERPRETER 16 /* thread state -> interpreter state, from 3.9 on */

uint64_t pyver_gil(const struct py_layout *layout, uint64_t runtime, uint64_t thread_state)
{
    size_t i = 0;
    while (gil_places[i].minor != layout->minor)
        if (++i == sizeof gil_places / sizeof *gil_places)
            return 0;
    uint64_t gil;
    if (gil_places[i].in_runtime != NONE) {
        gil = runtime + (uint64_t)gil_places[i].in_runtime;
    } else {
        int32_t offset = gil_places[i].in_interpreter;
        if (gil_places[i].published != NONE)
            correct(&offset, runtime, gil_places[i].published);
        uint64_t interpreter = peek_word(thread_state + TSTATE_INTERPRETER);
        gil = interpreter ? peek_word(interpreter + (uint64_t)offset) : 0;
    }
    /* We hold it: a record that does not say so is not it. */
    bool is_it = gil && peek_word(gil + GIL_HOLDER) == thread_state &&
                 (uint32_t)peek_word(gil + GIL_LOCKED) == 1;
    return is_it ? gil : 0;
}

/* From 3.9.6 on they return. */
bool pyver_threads_exit(uint32_t hexversion)
{
    return hexversion < 0x03090600;
}
