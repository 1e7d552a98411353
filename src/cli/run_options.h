/* SPDX-License-Identifier: Apache-2.0 */
/* The options of scalene run and their values. */
#ifndef SCALENE_CLI_RUN_OPTIONS_H
#define SCALENE_CLI_RUN_OPTIONS_H

#include "cli/make.h"

struct run_options {
    struct make_options make; /* first: see make_part */
    const char *python, *record, *module, *code, *config;
    bool wants_help, wants_advanced_help;
    bool is_on, is_off, is_jit_off;
    bool is_cpu_only, has_memory;
    bool is_virtual; /* neither waits nor idle time */
    double period_s, interval_s, window_bytes, malloc_threshold;
    bool unused; /* where switches without an effect so far go */
};
static_assert(offsetof(struct run_options, make) == 0, "make_part counts from here");

extern const struct option_table run_command;

/* Whether the value of -c names a configuration file instead of being code. */
bool run_is_configuration(const char *value);

#endif
