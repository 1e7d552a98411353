/* SPDX-License-Identifier: Apache-2.0 */
/* What threads still use after they have told their last clock.
 *
 * A thread tells its end from a destructor of the libc's. What comes after (the other destructors,
 * the stack given back, the kernel's own end of it) takes some 25 us, which nobody can read off its
 * clock any more; where threads of a millisecond come and go that is a percent or two of all. But
 * the clock of the process has it: what that shows beyond the clocks of all threads was used so. */
#ifndef SCALENE_AGENT_TAIL_H
#define SCALENE_AGENT_TAIL_H

#include <stdint.h>

/* Every thread there is is measured. Context: boot */
void tail_start(void);
/* Around the end of a thread: before it is taken out of those that threads_each calls for, and
 * after, with its last clock. Context: any thread, at its end */
void tail_begin(void);
void tail_end(uint64_t cpu_ns);
/* What a thread that ends now is still going to use, by those before it; 0: not known yet. It is
 * told, once. Context: any thread, at its end */
uint64_t tail_take_ns(void);
/* Context: the child */
void tail_after_fork(void);

#endif
