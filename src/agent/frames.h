/* SPDX-License-Identifier: Apache-2.0 */
/* The Python frames of the interrupted thread. */
#ifndef SCALENE_AGENT_FRAMES_H
#define SCALENE_AGENT_FRAMES_H

#include "wire/layout.h"
#include "wire/record.h"

#include <stdbool.h>
#include <stdint.h>

#define FRAMES_MAX 512u

/* What boot found out about the interpreter; constant afterwards. */
struct frames_python {
    struct py_layout layout;
    void *(*this_thread_state)(void); /* PyGILState_GetThisThreadState */
    int (*is_finalizing)(void);       /* may be NULL */
};
extern struct frames_python frames_python;

struct frames {
    uint32_t n;
    bool is_cut; /* more frames than FRAMES_MAX */
    bool has_thread_state;
    uint8_t opcode;                         /* of the innermost frame */
    struct record_frame frames[FRAMES_MAX]; /* innermost first */
};

/* False: a code object could not be sent because the ring is full. Context: signal */
bool frames_take(struct frames *out);
/* The same of a thread state, 0 for none, whose thread does not run Python meanwhile. */
bool frames_take_of(uint64_t state, struct frames *out);

#endif
