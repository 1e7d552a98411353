/* SPDX-License-Identifier: Apache-2.0 */
/* The Python stack of this thread, with code objects named by their numbers. */
#include "agent/frames.h"

#include "agent/agent.h"
#include "agent/codes.h"
#include "agent/peek.h"
#include "frame/walk.h"

#include "agent/safe.h"

#define FETCHED_MAX 64u

struct frames_python frames_python;

bool frames_take(struct frames *out)
{
    return frames_take_of((uint64_t)(uintptr_t)frames_python.this_thread_state(), out);
}

/* Code objects are seldom at hand in the caches, and each would have to be waited for. So all are
 * asked for before the first is looked at. Nothing is believed here: what is no frame does no harm.
 */
static void fetch_codes(uint64_t frame)
{
    const struct py_layout *layout = &frames_python.layout;
    uint64_t code;
    for (unsigned i = 0; i < FETCHED_MAX && frame; i++) {
        if (peek_u64(frame + (uint64_t)layout->frame_code, &code))
            codes_expect(code & ~(uint64_t)7);
        peek_u64(frame + (uint64_t)layout->frame_previous, &frame);
    }
}

bool frames_take_of(uint64_t state, struct frames *out)
{
    out->n = 0;
    out->is_cut = false;
    out->opcode = 0;
    out->has_thread_state = state != 0;
    if (!state)
        return true;
    struct walk walk = walk_start(&peek_memory, &frames_python.layout, state);
    struct walk_frame frame;
    fetch_codes(walk.frame);
    while (walk_next(&walk, &frame)) {
        if (out->n == FRAMES_MAX) {
            out->is_cut = true;
            break;
        }
        struct record_frame *f = &out->frames[out->n];
        f->instr = frame.instr;
        if (!codes_id(frame.code, &f->code))
            return false;
        if (out->n++ == 0)
            out->opcode = walk_opcode(&walk, &frame);
    }
    out->is_cut |= walk.is_cut;
    if (walk.is_broken)
        agent_count(COUNTER_BAD_FRAME, 1);
    return true;
}
