/* SPDX-License-Identifier: Apache-2.0 */
/* Python, native or system: what the processor was doing when a sample was taken.
 *
 * The PC and the bytecode instruction alone do not tell: much of a call of a Python function is C
 * code of the interpreter outside its evaluation loop. So the path of PCs from the evaluation loop
 * inward is walked, asking of every function on it whether it is part of interpreting, passes a
 * call on, or is the C body of what Python called. */
#ifndef SCALENE_ANALYZE_JUDGE_H
#define SCALENE_ANALYZE_JUDGE_H

#include "analyze/interpreter.h"
#include "analyze/memo.h"
#include "analyze/module.h"
#include "analyze/opcodes.h"
#include "base/map.h"

enum verdict {
    VERDICT_PYTHON,
    VERDICT_HELPER, /* Python, in a C function that serves one instruction that is no call; it may
                       turn out to be one long C operation (analyze/operation.h) */
    VERDICT_NATIVE,
    VERDICT_SYSTEM, /* in the kernel */
};

/* What all processes share. Zero-initialise. */
struct judge_cache {
    struct memo verdicts;
    struct map jumps; /* (image, function, where) -> 1: no, 2: it jumps there */
    struct entering_cache entering;
};

/* One for each process. Zero-initialise but for the first three. */
struct judge {
    const struct profile_input *input; /* borrowed */
    struct judge_cache *cache;         /* borrowed */
    uint64_t process;                  /* tells the processes apart in the cache */
    uint64_t n_changes; /* counts modules and interpreters: what was decided before is void */
    struct modules modules;
    struct interpreter interpreter; /* hexversion 0: none seen yet */
};

void judge_add_module(struct judge *judge, const struct record_module *record, const char *path);
void judge_add_interpreter(struct judge *judge, const struct record_interpreter *record);

/* A thread that runs Python code. pcs: the interrupted one first, then return addresses. */
enum verdict judge_python_thread(struct judge *judge, const struct record_sample *sample,
                                 const uint64_t *pcs);
/* Whether it is in the C library or one of its kin. */
bool judge_is_library(const struct judge *judge, uint64_t pc);
/* A thread Python does not know. */
enum verdict judge_native_thread(struct judge *judge, const struct record_sample *sample,
                                 const uint64_t *pcs);
void judge_fini(struct judge *judge);
void judge_cache_fini(struct judge_cache *cache);

#endif
