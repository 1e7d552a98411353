/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the chain of frames. The thread must not run meanwhile: it is stopped in our handler, or
 * seen not to have run. Even so 3.11 and 3.12 publish a new chain before they fill it in, so every
 * frame must prove itself before it is believed. */
#include "frame/walk.h"

#include <string.h>

#define OWNED_BY_C         3 /* frames of this owner and above run no Python code (3.12 and later) */
#define OWNED_BY_GENERATOR 1
#define LINKS_MAX          1024
#define FRAME_BYTES        112 /* every field of a frame lies in its first bytes */

/* A frame as read in one piece. */
struct frame {
    unsigned char bytes[FRAME_BYTES];
};

static uint64_t field(const struct frame *frame, int32_t offset)
{
    uint64_t value;
    memcpy(&value, frame->bytes + offset, sizeof value);
    return value;
}

/* 3.14 keeps flags in the low bits of the reference. */
static uint64_t code_of(const struct walk *w, const struct frame *frame)
{
    return field(frame, w->layout->frame_code) & ~(uint64_t)7;
}

static int32_t instruction_of(const struct walk *w, const struct frame *frame, uint64_t code)
{
    uint64_t raw = field(frame, w->layout->frame_instr);
    int32_t index = (int32_t)(uint32_t)raw;
    switch (w->layout->instr_form) {
    case INSTR_BYTES:
        return index;
    case INSTR_UNITS:
        return index < 0 ? -1 : 2 * index;
    default:
        return (int32_t)(int64_t)(raw - (code + (uint64_t)w->layout->code_bytecode));
    }
}

/* A frame is believed when its code object is one and its instruction lies inside it. */
static bool is_plausible(const struct walk *w, const struct frame *frame)
{
    uint64_t code = code_of(w, frame), head[3]; /* count, type, size */
    if (!code || !w->memory->read(w->memory->context, code, head, sizeof head) ||
        head[OBJECT_TYPE / 8] != w->layout->code_type)
        return false;
    if (w->layout->bytecode_is_object)
        return true;
    int64_t instr = instruction_of(w, frame, code);
    return instr >= -2 && instr < 2 * (int64_t)head[OBJECT_SIZE / 8];
}

static bool is_shim(const struct walk *w, const struct frame *frame)
{
    return w->layout->minor >= 12 && frame->bytes[w->layout->frame_owner] >= OWNED_BY_C;
}

/* A generator that yields is unlinked from its caller a moment before it stops being the innermost
 * frame: who called it cannot be told then. From 3.12 on a frame that runs is never without caller,
 * be it C's. */
static bool is_leaving(const struct walk *w, const struct frame *frame)
{
    return w->layout->minor >= 12 && frame->bytes[w->layout->frame_owner] == OWNED_BY_GENERATOR;
}

static bool read_frame(const struct walk *w, uint64_t at, struct frame *frame)
{
    return at && w->memory->read(w->memory->context, at, frame->bytes, FRAME_BYTES);
}

struct walk walk_start(const struct memory *memory, const struct py_layout *layout,
                       uint64_t thread_state)
{
    struct walk w = {.memory = memory, .layout = layout};
    w.frame = memory_word(memory, thread_state + (uint64_t)layout->tstate_frame);
    if (layout->cframe_current != LAYOUT_NONE && w.frame) {
        w.cframe = w.frame;
        w.frame = memory_word(memory, w.cframe + (uint64_t)layout->cframe_current);
    }
    return w;
}

/* The evaluation loop is just being entered: the frame of its caller is the innermost whole one. */
static bool go_round(struct walk *w)
{
    uint64_t cframe = w->cframe;
    w->cframe = 0;
    w->frame = 0;
    if (cframe)
        cframe = memory_word(w->memory, cframe + (uint64_t)w->layout->cframe_previous);
    if (cframe)
        w->frame = memory_word(w->memory, cframe + (uint64_t)w->layout->cframe_current);
    return w->frame != 0;
}

bool walk_next(struct walk *w, struct walk_frame *out)
{
    struct frame frame;
    for (; w->frame && w->links < LINKS_MAX; w->links++) {
        bool is_read = read_frame(w, w->frame, &frame);
        bool is_skipped = is_read && is_shim(w, &frame);
        if (!is_read || (!is_skipped && !is_plausible(w, &frame))) {
            if (!go_round(w)) {
                w->is_broken = true;
                return false;
            }
            continue;
        }
        w->cframe = 0;
        w->frame = field(&frame, w->layout->frame_previous);
        w->is_cut |= w->frame == 0 && is_leaving(w, &frame);
        if (is_skipped)
            continue;
        out->code = code_of(w, &frame);
        out->instr = instruction_of(w, &frame, out->code);
        w->links++;
        return true;
    }
    return false;
}

uint8_t walk_opcode(const struct walk *w, const struct walk_frame *frame)
{
    uint8_t opcode = 0;
    uint64_t start = frame->code + (uint64_t)w->layout->code_bytecode;
    if (w->layout->bytecode_is_object)
        start = memory_word(w->memory, start) + BYTES_DATA;
    w->memory->read(w->memory->context, start + (uint64_t)(frame->instr < 0 ? 0 : frame->instr),
                    &opcode, 1);
    return opcode;
}
