/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the chain of frames from the thread's state. The thread is stopped in our handler, so its
 * own chain cannot change underfoot; yet 3.11 and 3.12 publish a new chain before they fill it in,
 * so every frame must prove itself before it is believed. */
#include "agent/frames.h"

#include "agent/agent.h"
#include "agent/codes.h"
#include "agent/peek.h"

#include "agent/safe.h"

#define OWNED_BY_C 3 /* frames of this owner and above run no Python code (3.12 and later) */
#define LINKS_MAX  (2 * FRAMES_MAX)

struct frames_python frames_python;

#define LAYOUT frames_python.layout

static uint64_t field(uint64_t object, int offset)
{
    return peek_word(object + (uint64_t)(int64_t)offset);
}

/* 3.14 keeps flags in the low bits of the reference. */
static uint64_t code_of(uint64_t frame)
{
    return field(frame, LAYOUT.frame_code) & ~(uint64_t)7;
}

static bool is_code(uint64_t object)
{
    return object && field(object, OBJECT_TYPE) == frames_python.code_type;
}

static int32_t instruction_of(uint64_t frame, uint64_t code)
{
    uint64_t raw = field(frame, LAYOUT.frame_instr);
    int32_t index = (int32_t)(uint32_t)raw;
    switch (LAYOUT.instr_form) {
    case INSTR_BYTES:
        return index;
    case INSTR_UNITS:
        return index < 0 ? -1 : 2 * index;
    default:
        return (int32_t)(int64_t)(raw - (code + (uint64_t)LAYOUT.code_bytecode));
    }
}

/* A frame is believed when its code object is one and its instruction lies inside it. */
static bool is_plausible(uint64_t frame)
{
    uint64_t code = code_of(frame);
    if (!is_code(code))
        return false;
    if (LAYOUT.bytecode_is_object)
        return true;
    int64_t instr = instruction_of(frame, code);
    return instr >= -2 && instr < 2 * (int64_t)field(code, OBJECT_SIZE);
}

static bool is_shim(uint64_t frame)
{
    uint8_t owner = 0;
    return LAYOUT.minor >= 12 && peek_u8(frame + (uint64_t)LAYOUT.frame_owner, &owner) &&
           owner >= OWNED_BY_C;
}

static uint64_t innermost(uint64_t thread_state)
{
    uint64_t frame = field(thread_state, LAYOUT.tstate_frame);
    if (LAYOUT.cframe_current == PYVER_NONE || !frame)
        return frame;
    uint64_t cframe = frame;
    frame = field(cframe, LAYOUT.cframe_current);
    if (frame && (is_shim(frame) || is_plausible(frame)))
        return frame;
    /* The evaluation loop is just being entered: the frame of its caller is the innermost whole
     * one. */
    agent_count(COUNTER_BAD_FRAME, 1);
    cframe = field(cframe, LAYOUT.cframe_previous);
    return cframe ? field(cframe, LAYOUT.cframe_current) : 0;
}

static uint8_t opcode_at(uint64_t code, int32_t instr)
{
    uint8_t opcode = 0;
    uint64_t start = LAYOUT.bytecode_is_object ? field(code, LAYOUT.code_bytecode) + BYTES_DATA
                                               : code + (uint64_t)LAYOUT.code_bytecode;
    peek_u8(start + (uint64_t)(instr < 0 ? 0 : instr), &opcode);
    return opcode;
}

bool frames_take(struct frames *out)
{
    uint64_t state = (uint64_t)(uintptr_t)frames_python.this_thread_state();
    out->n = 0;
    out->is_cut = false;
    out->opcode = 0;
    out->has_thread_state = state != 0;
    uint64_t frame = state ? innermost(state) : 0;
    for (unsigned links = 0; frame && links < LINKS_MAX; links++) {
        uint64_t previous = field(frame, LAYOUT.frame_previous);
        if (!is_shim(frame)) {
            if (!is_plausible(frame)) {
                agent_count(COUNTER_BAD_FRAME, 1);
                return true;
            }
            if (out->n == FRAMES_MAX) {
                out->is_cut = true;
                return true;
            }
            uint64_t code = code_of(frame);
            struct record_frame *f = &out->frames[out->n];
            f->instr = instruction_of(frame, code);
            if (!codes_id(code, &f->code))
                return false;
            if (out->n++ == 0)
                out->opcode = opcode_at(code, f->instr);
        }
        frame = previous;
    }
    return true;
}
