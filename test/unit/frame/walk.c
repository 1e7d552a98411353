/* SPDX-License-Identifier: Apache-2.0 */
/* Frames made by hand, followed in this process's own memory. */
#include "frame/walk.h"

#include "../check.h"

enum { CODE_TYPE = 0x7000, OWNER_THREAD = 0, OWNER_GENERATOR = 1 };

static struct {
    uint64_t count, type, size;
    unsigned char bytecode[64];
} code = {1, CODE_TYPE, 16, {0}};

struct made_frame {
    uint64_t code, previous, fields[5], instr, words[2];
    unsigned char tail[112 - 80];
};

/* As 3.12 lays it out, but for the numbers. */
static struct py_layout layout_of(int minor)
{
    return (struct py_layout){.minor = minor,
                              .tstate_frame = 8,
                              .cframe_current = LAYOUT_NONE,
                              .cframe_previous = LAYOUT_NONE,
                              .frame_code = 0,
                              .frame_previous = 8,
                              .frame_instr = 56,
                              .frame_owner = 70,
                              .instr_form = INSTR_POINTER,
                              .code_bytecode = 24,
                              .code_type = CODE_TYPE};
}

static bool read_own(void *context, uint64_t address, void *out, size_t n_bytes)
{
    (void)context;
    if (address < 4096)
        return false;
    memcpy(out, (const void *)(uintptr_t)address, n_bytes);
    return true;
}

static struct made_frame frame_of(unsigned char owner, const struct made_frame *previous)
{
    struct made_frame frame = {.code = (uint64_t)(uintptr_t)&code,
                               .previous = (uint64_t)(uintptr_t)previous,
                               .instr = (uint64_t)(uintptr_t)code.bytecode + 4};
    memcpy((unsigned char *)&frame + 70, &owner, 1);
    return frame;
}

/* Walks from a frame: how many there are, and whether outer ones are missing. */
static unsigned walked(int minor, const struct made_frame *innermost, bool *is_cut)
{
    struct memory memory = {.read = read_own};
    struct py_layout layout = layout_of(minor);
    uint64_t state[2] = {0, (uint64_t)(uintptr_t)innermost};
    struct walk walk = walk_start(&memory, &layout, (uint64_t)(uintptr_t)state);
    struct walk_frame frame;
    unsigned n = 0;
    while (walk_next(&walk, &frame)) {
        CHECK(frame.code == (uint64_t)(uintptr_t)&code && frame.instr == 4);
        n++;
    }
    CHECK(!walk.is_broken);
    *is_cut = walk.is_cut;
    return n;
}

static void whole_stacks_are_not_cut(void)
{
    bool is_cut;
    struct made_frame outer = frame_of(OWNER_THREAD, NULL);
    struct made_frame generator = frame_of(OWNER_GENERATOR, &outer);
    struct made_frame inner = frame_of(OWNER_THREAD, &generator);
    CHECK(walked(12, &inner, &is_cut) == 3 && !is_cut);
    CHECK(walked(12, &generator, &is_cut) == 2 && !is_cut);
}

static void a_generator_that_is_just_yielding_is_cut(void)
{
    bool is_cut;
    struct made_frame unlinked = frame_of(OWNER_GENERATOR, NULL);
    struct made_frame inner = frame_of(OWNER_THREAD, &unlinked);
    CHECK(walked(12, &unlinked, &is_cut) == 1 && is_cut);
    CHECK(walked(13, &unlinked, &is_cut) == 1 && is_cut);
    CHECK(walked(12, &inner, &is_cut) == 2 && is_cut);
    /* Before 3.12 frames that C code called have no caller either. */
    CHECK(walked(11, &unlinked, &is_cut) == 1 && !is_cut);
}

static void a_chain_that_bites_its_tail_ends(void)
{
    bool is_cut;
    struct made_frame frame = frame_of(OWNER_THREAD, NULL);
    frame.previous = (uint64_t)(uintptr_t)&frame;
    CHECK(walked(12, &frame, &is_cut) <= 1024);
}

int main(void)
{
    RUN(whole_stacks_are_not_cut);
    RUN(a_generator_that_is_just_yielding_is_cut);
    RUN(a_chain_that_bites_its_tail_ends);
    return 0;
}
