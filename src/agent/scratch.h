/* SPDX-License-Identifier: Apache-2.0 */
/* A few areas of memory in which samples are put together, for thread stacks may be small. */
#ifndef SCALENE_AGENT_SCRATCH_H
#define SCALENE_AGENT_SCRATCH_H

#define SCRATCH_BYTES 5120u
#define SCRATCH_PCS   96u

/* An area and its number; NULL when all are in use. Context: signal | hook */
void *scratch_take(unsigned *number);
void scratch_give_back(unsigned number);
/* Threads that held areas exist no more. Context: the child of a fork */
void scratch_after_fork(void);

#endif
