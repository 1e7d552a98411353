/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands in one list: the front door, the manual and the completions are made from it. */
#ifndef SCALENE_CLI_COMMANDS_H
#define SCALENE_CLI_COMMANDS_H

#include "cli/options.h"

struct command {
    const char *name, *about;
    int (*main)(const char *const *arguments);
    const struct option_table *table;
    bool is_hidden; /* not in the help: for those who build and package */
};

extern const struct command commands[];
extern const size_t n_commands;

/* Every command that the help names; every option of one that its help names. */
typedef void command_visit(const struct command *command);
typedef void option_visit(const struct command *command, const struct option *option);
void commands_each(command_visit *visit);
void command_each_option(const struct command *command, option_visit *visit);

/* The tables that only their own files use otherwise. */
extern const struct option_table view_command, profile_command, replay_command, manual_command,
    completion_command;

#endif
