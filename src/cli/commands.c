/* SPDX-License-Identifier: Apache-2.0 */
/* The list of subcommands. */
#include "cli/commands.h"

#include "cli/cli.h"
#include "cli/run_options.h"

const struct command commands[] = {
    {"run", "run a Python program and profile it", run_main, &run_command, false},
    {"view", "show a profile", view_main, &view_command, false},
    {"profile", "switch a profile on or off, or save it, while its program runs", profile_main,
     &profile_command, false},
    {"replay", "make a profile from a recording", replay_main, &replay_command, false},
    {"completion", "print the completions for a shell", completion_main, &completion_command, true},
    {"manual", "print the manual page", manual_main, &manual_command, true},
};
const size_t n_commands = sizeof commands / sizeof *commands;

void commands_each(command_visit *visit)
{
    for (size_t i = 0; i < n_commands; i++)
        if (!commands[i].is_hidden)
            visit(&commands[i]);
}

void command_each_option(const struct command *command, option_visit *visit)
{
    const struct option *option;
    for (size_t i = 0; (option = options_at(command->table, i)); i++)
        if (option->shown != SHOWN_NEVER)
            visit(command, option);
}
