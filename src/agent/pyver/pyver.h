/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of each CPython version. The only place in the agent that knows versions. */
#ifndef SCALENE_AGENT_PYVER_PYVER_H
#define SCALENE_AGENT_PYVER_PYVER_H

#include "wire/layout.h"

#include <stdbool.h>

/* The layout of a version, corrected by what the interpreter publishes of itself (3.13 and later;
 * `runtime` is the address of _PyRuntime, or 0). False: this version is not known. What only boot
 * can find out is left 0. Context: boot */
bool pyver_find(uint32_t hexversion, uint64_t runtime, struct py_layout *layout);

/* The address of the GIL's record; `thread_state` is that of any thread. 0: not known.
 * Context: boot */
uint64_t pyver_gil(const struct py_layout *layout, uint64_t runtime, uint64_t thread_state);

/* Whether threads of this version end by pthread_exit. Context: boot */
bool pyver_threads_exit(uint32_t hexversion);

#endif
