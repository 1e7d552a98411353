/* SPDX-License-Identifier: Apache-2.0 */
/* The files a process runs machine code from, by address. */
#ifndef SCALENE_ANALYZE_MODULE_H
#define SCALENE_ANALYZE_MODULE_H

#include "analyze/profile.h"
#include "base/vec.h"

enum module_kind {
    MODULE_OTHER,       /* extension modules and the libraries they use */
    MODULE_INTERPRETER, /* the one that holds the evaluation loop */
    MODULE_SYSTEM,      /* the C library and kin, which serve whoever calls them */
};

struct module {
    struct record_module record; /* without its strings */
    const char *path;            /* borrowed; bytes as the kernel gave them */
    enum module_kind kind;
    const struct elf_image *image; /* borrowed; NULL: none, or not asked for yet */
    bool is_image_asked;
};

/* By address, none overlapping. Zero-initialise. */
struct modules {
    struct module *items;
    size_t n, room;
};

/* A later mapping takes the place of those it overlaps. */
void modules_add(struct modules *modules, const struct record_module *record, const char *path);
/* Makes the module that holds the evaluation loop the interpreter. */
void modules_set_interpreter(struct modules *modules, uint64_t eval_address);
/* NULL: the address lies in no module. */
struct module *modules_find(const struct modules *modules, uint64_t address);
/* The file's image, asked for once. */
const struct elf_image *module_image(struct module *module, const struct profile_input *input);

#endif
