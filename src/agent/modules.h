/* SPDX-License-Identifier: Apache-2.0 */
/* The executable files mapped into the process: which one an address belongs to, and where its
 * unwind tables lie. */
#ifndef SCALENE_AGENT_MODULES_H
#define SCALENE_AGENT_MODULES_H

#include <stdbool.h>
#include <stdint.h>

struct module {
    uint64_t low, high;    /* executable addresses [low, high) */
    uint64_t bias;         /* run-time address = address in the file + bias */
    uint64_t eh_frame_hdr; /* run-time address of its table of functions; 0: none */
    uint32_t n_functions;  /* entries of that table */
    uint32_t generation;   /* agent.generation when it was last sent */
};

/* The module holding `address`, looked up in /proc/self/maps when it is not known yet (but
 * after a look in vain not for 50 ms). False: none does. What is new is sent to the ring. Context:
 * signal | boot */
bool modules_find(uint64_t address, struct module *found);
/* Sends every known module to the ring, which is new. Context: signal | boot */
void modules_send(void);
/* Threads that were at work here exist no more. Context: the child of a fork */
void modules_after_fork(void);

#endif
