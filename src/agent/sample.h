/* SPDX-License-Identifier: Apache-2.0 */
/* One sample of the running thread. */
#ifndef SCALENE_AGENT_SAMPLE_H
#define SCALENE_AGENT_SAMPLE_H

#include "wire/record.h"

/* Writes what the interrupted thread is doing to the ring. Context: signal */
void sample_take(void *ucontext, enum sample_engine engine);

#endif
