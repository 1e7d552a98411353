/* SPDX-License-Identifier: Apache-2.0 */
/* The options of scalene run and their values. */
#ifndef SCALENE_CLI_RUN_OPTIONS_H
#define SCALENE_CLI_RUN_OPTIONS_H

#include "cli/make.h"

/* Whether something is to be measured. Who names one of them means that one alone. */
enum wish { WISH_NONE, WISH_YES, WISH_NO };

/* What follows when the profile is written. */
enum then { THEN_SAY, THEN_TERMINAL, THEN_PAGE, THEN_BROWSER };

struct run_options {
    struct make_options make; /* first: see make_part */
    const char *python, *record, *module, *code, *config;
    bool wants_help, wants_advanced_help;
    bool is_off; /* measuring begins switched off */
    bool is_jit_off;
    int memory, gpu; /* enum wish */
    bool is_virtual; /* neither waits nor idle time */
    double period_s; /* between two samples; 0: not given */
    double interval_s;
    double window_bytes; /* between two memory samples; 0: not given, so as many as it can afford */
    int then;            /* enum then */
    bool has_no_browser;
    double columns;       /* of the terminal view; 0: those of the terminal */
    double follow_pid;    /* a process that runs already, in place of a program */
    const char *end_path; /* where its profile goes when it asks for it */
    bool unused;          /* where switches without an effect so far go */
};

/* Bytes between two memory samples at the densest: 20 MB of objects of 1 KB are sure to 1.2%. */
#define MEMORY_MEAN 4096u

/* CPU time between two samples of a thread: of one that is young, and of one that ran for long. 9
 * ms are no multiple of any kernel's tick but the shortest: the samples keep step with nothing. */
#define PERIOD_NS     2000000u
#define OLD_PERIOD_NS 9000000u

#define RUN_DEFAULTS                                                                               \
    {                                                                                              \
        .make = MAKE_DEFAULTS                                                                      \
    }
static_assert(offsetof(struct run_options, make) == 0, "make_part counts from here");

extern const struct option_table run_command;

/* Whether memory is measured, all wishes considered. */
bool run_has_memory(const struct run_options *options);

#endif
