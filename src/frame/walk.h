/* SPDX-License-Identifier: Apache-2.0 */
/* From a thread's state along its Python frames, innermost first. */
#ifndef SCALENE_FRAME_WALK_H
#define SCALENE_FRAME_WALK_H

#include "frame/memory.h"
#include "wire/layout.h"

struct walk {
    const struct memory *memory;    /* borrowed */
    const struct py_layout *layout; /* borrowed */
    uint64_t frame;                 /* the next one; 0: there are no more */
    uint64_t cframe;                /* 3.11 and 3.12: where the innermost frame was found; else 0 */
    unsigned links;                 /* followed so far, to end a chain that bites its tail */
    bool is_cut;    /* outer frames are missing: the innermost was just being left */
    bool is_broken; /* ended at a frame that made no sense */
};

struct walk_frame {
    uint64_t code; /* address of its code object */
    int32_t instr; /* byte offset of its instruction; -1: before the first */
};

/* Context: signal | any thread */
struct walk walk_start(const struct memory *memory, const struct py_layout *layout,
                       uint64_t thread_state);
/* False: there are no more. */
bool walk_next(struct walk *walk, struct walk_frame *out);
/* The opcode of an instruction as it stands in memory. */
uint8_t walk_opcode(const struct walk *walk, const struct walk_frame *frame);

#endif
