/* SPDX-License-Identifier: Apache-2.0 */
/* The stages joined: records of a live program or a recording become a profile, and the profile
 * becomes a file. Shared by run and replay. */
#ifndef SCALENE_CLI_MAKE_H
#define SCALENE_CLI_MAKE_H

#include "analyze/profile.h"
#include "base/arena.h"
#include "base/err.h"
#include "cli/options.h"
#include "collect/collect.h"

/* What is profiled and what is written: the options that run and replay have in common. */
struct make_options {
    const char *outfile;
    const char *only, *exclude; /* comma-separated */
    const char *program_path;
    const char *cells; /* a list of a notebook's cells; NULL: there are none */
    bool is_all, has_system_libraries, is_reduced, has_stacks, has_leaks;
    double cpu_percent_threshold;
    double malloc_threshold; /* below 0: not given */
};

#define MAKE_DEFAULTS                                                                              \
    {                                                                                              \
        .has_stacks = true, .has_leaks = true, .cpu_percent_threshold = 1, .malloc_threshold = -1  \
    }

/* Their table. A subcommand that has it keeps its struct make_options as the first member of its
 * values, so that the offsets are the same. */
extern const struct option_part make_part;

/* A profile and what its making keeps open. */
struct made;

/* @profile: where the program has it and does not define it itself, only functions that wear it are
 * reported. */
#define MAKE_DECORATOR "profile"
bool make_has_decorator(const char *program);

/* An empty profile. */
struct made *made_new(const struct make_options *options);
/* Reads all records. Never fails: a profile of nothing is empty. */
void made_read(struct made *made, struct collect *collect);
/* Works the result out of what was read so far, once more if more has come. */
void made_work_out(struct made *made);
const struct profile_result *made_result(const struct made *made);
bool made_save(struct made *made, const char *path, struct err *e);
void made_free(struct made *made);

#endif
