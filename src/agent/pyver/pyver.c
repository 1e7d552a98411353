/* SPDX-License-Identifier: Apache-2.0 */
/* A row per CPython version (64 bit, with GIL), taken from its headers; test/e2e runs each of them.
 * 3.13 and later publish their offsets at the start of _PyRuntime: those win over the row. */
#include "agent/pyver/pyver.h"

#include "agent/peek.h"

#include <stddef.h>
#include <string.h>

#include "agent/safe.h"

#define NONE PYVER_NONE

/* clang-format off */
static const struct py_layout layouts[] = {
/*  3.x tstate cframe   frame            instruction     code                                                  func  str
        frame  cur prev code inst prev own                bytes obj    table first flags file name qual  vector ascii compact kind */
    { 8, 24, NONE, NONE, 32, 104, 24, NONE, INSTR_BYTES,    48, true,  120, 40, 36, 104, 112, NONE, 112, 48, 72, 2},
    { 9, 24, NONE, NONE, 32, 104, 24, NONE, INSTR_BYTES,    48, true,  120, 40, 36, 104, 112, NONE, 112, 48, 72, 2},
    {10, 24, NONE, NONE, 32,  96, 24, NONE, INSTR_UNITS,    48, true,  120, 40, 36, 104, 112, NONE, 120, 48, 72, 2},
    {11, 56,    8,   16, 32,  56, 48,   69, INSTR_POINTER, 184, false, 136, 72, 48, 112, 120,  128, 120, 48, 72, 2},
    {12, 56,    0,    8,  0,  56,  8,   70, INSTR_POINTER, 192, false, 136, 68, 48, 112, 120,  128, 128, 40, 56, 2},
    {13, 72, NONE, NONE,  0,  56,  8,   70, INSTR_POINTER, 200, false, 136, 68, 48, 112, 120,  128, 128, 40, 56, 2},
    {14, 72, NONE, NONE,  0,  56,  8,   74, INSTR_POINTER, 208, false, 136, 68, 48, 112, 120,  128, 136, 40, 56, 2},
    {15, 72, NONE, NONE,  0,  56,  8,   74, INSTR_POINTER, 208, false, 136, 68, 48, 112, 120,  128, 136, 40, 56, 2},
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

static void correct(int *offset, uint64_t runtime, int word)
{
    uint64_t value;
    if (peek_u64(runtime + 8 * (uint64_t)word, &value) && value < 1024)
        *offset = (int)value;
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
