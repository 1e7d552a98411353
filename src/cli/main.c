/* SPDX-License-Identifier: Apache-2.0 */
/* The front door: finds the subcommand. */
#include "base/arena.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "cli/run_options.h"

#include <stdio.h>
#include <string.h>

static void help(FILE *out)
{
    fputs("Usage: scalene COMMAND ...\n\n"
          "Scalene finds out which lines of a Python program cost the time and the "
          "memory.\n\nCommands:\n",
          out);
    for (size_t i = 0; i < n_commands; i++)
        if (!commands[i].is_hidden)
            fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].about);
    fputs("\nOptions:\n"
          "  -h, --help show this and end; scalene COMMAND --help shows a command's options\n"
          "  --version  show the version and end\n\n"
          "scalene prog.py runs a program and shows its profile in the terminal.\n",
          out);
}

/* Whether `scalene --cli prog.py`, as it once was typed, begins like that. */
static bool is_run_option(const char *word)
{
    char name[64];
    bool is_long = word[1] == '-';
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), is_long ? word + 2 : word);
    if (is_long)
        name[strcspn(name, "=")] = '\0';
    return options_find(&run_command, name) != NULL;
}

static const char *nearest_command(const char *word)
{
    const char *nearest = NULL;
    size_t within = NAME_NEAR_ENOUGH;
    for (size_t i = 0; i < n_commands; i++)
        if (!commands[i].is_hidden && name_is_nearer(word, commands[i].name, &within))
            nearest = commands[i].name;
    return nearest;
}

static int flat(const char *const *arguments)
{
    struct arena arena = {0};
    const char *word = arguments[0];
    bool is_program = word[0] != '-' ? program_is_named(word, &arena) : is_run_option(word);
    arena_fini(&arena);
    if (is_program)
        return run_and_view(arguments);
    const char *nearest = nearest_command(word);
    say("'%s' is not a valid command, nor a program; did you mean 'scalene %s%s'?", word,
        nearest ? nearest : "run ", nearest ? "" : word);
    help(stderr);
    return STATUS_FAILED;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    const char *const *arguments = (const char *const *)argv;
    if (!word) {
        help(stderr);
        return STATUS_FAILED;
    }
    for (size_t i = 0; i < n_commands; i++)
        if (strcmp(word, commands[i].name) == 0)
            return commands[i].main(arguments + 2);
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
        help(stdout);
        return STATUS_OK;
    }
    if (strcmp(word, "--version") == 0) {
        printf("Scalene version %s\n", SCALENE_VERSION);
        return STATUS_OK;
    }
    return flat(arguments + 1);
}
