/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge knows of one process's interpreter: its evaluation loop and the functions with a
 * meaning, as run-time addresses. */
#ifndef SCALENE_ANALYZE_INTERPRETER_H
#define SCALENE_ANALYZE_INTERPRETER_H

#include "base/vec.h"
#include "symbol/elf.h"
#include "wire/record.h"

#include <stdbool.h>

/* A set of addresses: a handful, so it is searched from end to end. */
struct addresses {
    uint64_t *items;
    size_t n, room;
};

struct interpreter {
    uint32_t hexversion;
    uint64_t eval;
    struct elf_range eval_parts[INTERPRETER_EVAL_PARTS];
    size_t n_eval_parts;
    struct addresses python;   /* entries of calls of Python functions */
    struct addresses entering; /* functions that enter the evaluation loop themselves */
    struct addresses dispatch; /* functions that pass a call on */
    uint64_t dealloc;
    bool is_complete; /* the sets hold what only the ELF file can tell */
};

/* Functions with a branch to the evaluation loop, by image: found once for all its processes. */
struct entering_cache {
    struct {
        struct {
            const struct elf_image *image;
            uint64_t eval; /* in the file */
            struct addresses functions;
        } * items;
        size_t n, room;
    } images;
};

void interpreter_init(struct interpreter *interpreter, const struct record_interpreter *record);
/* Adds what the ELF file tells: functions that the entries jump to, and from 3.11 on the
 * functions that enter the evaluation loop. */
void interpreter_complete(struct interpreter *interpreter, const struct elf_image *image,
                          uint64_t bias, struct entering_cache *cache);
bool interpreter_is_eval(const struct interpreter *interpreter, uint64_t address);
void interpreter_fini(struct interpreter *interpreter);
void entering_cache_fini(struct entering_cache *cache);

bool addresses_has(const struct addresses *set, uint64_t address);
void addresses_add(struct addresses *set, uint64_t address);

#endif
