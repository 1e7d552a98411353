/* SPDX-License-Identifier: Apache-2.0 */
/* scalene completion: what bash, zsh and fish complete, from the tables of options. */
#include "cli/cli.h"
#include "cli/commands.h"

#include <string.h>

static const struct option table[] = {
    {.name = "help", .letter = 'h', .help = "show this and end"},
};
static const struct option_part completion_part = {table, sizeof table / sizeof *table};

const struct option_table completion_command = {
    .usage = "completion bash|zsh|fish",
    .about = "Prints what a shell needs to complete scalene's commands and options, for instance: "
             "source <(scalene completion bash)",
    .parts = {&completion_part},
};

/* ---- bash ---- */

static void bash_option(const struct command *command, const struct option *option)
{
    (void)command;
    if (option->name)
        printf(" --%s", option->name);
}

static void bash_case(const struct command *command)
{
    printf("    %s) options=\"", command->name);
    command_each_option(command, bash_option);
    puts("\" ;;");
}

static void word(const struct command *command)
{
    printf(" %s", command->name);
}

static void print_bash(void)
{
    puts("_scalene() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} options\n"
         "    COMPREPLY=()\n"
         "    case ${COMP_WORDS[1]} in");
    commands_each(bash_case);
    fputs("    *) options=\"", stdout);
    commands_each(word);
    puts(" --help --version\" ;;\n"
         "    esac\n"
         "    if [ \"$COMP_CWORD\" = 1 ] || [[ $word == -* ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "    fi\n"
         "    COMPREPLY+=($(compgen -f -- \"$word\"))\n"
         "}\n"
         "complete -o filenames -F _scalene scalene");
}

/* ---- zsh ---- */

/* Single quotes end the word, brackets and colons the description. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", stdout);
        else if (strchr("[]:\\", *text))
            putchar('\\');
        putchar(*text);
    }
}

static void zsh_option(const struct command *command, const struct option *option)
{
    (void)command;
    if (!option->name)
        return;
    printf(" \\\n            '--%s%s[", option->name, option->value ? "=" : "");
    zsh_text(option->help);
    printf(option->value ? "]:%s:_files'" : "]'", option->value);
}

static void zsh_case(const struct command *command)
{
    printf("    %s)\n        _arguments", command->name);
    command_each_option(command, zsh_option);
    puts(" \\\n            '*:file:_files'\n        ;;");
}

static void zsh_command(const struct command *command)
{
    printf("        '%s:", command->name);
    zsh_text(command->about);
    puts("'");
}

static void print_zsh(void)
{
    puts("#compdef scalene\n"
         "_scalene() {\n"
         "    local -a commands\n"
         "    commands=(");
    commands_each(zsh_command);
    puts("    )\n"
         "    if (( CURRENT == 2 )); then\n"
         "        _describe command commands\n"
         "        _files\n"
         "        return\n"
         "    fi\n"
         "    local command=$words[2]\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $command in");
    commands_each(zsh_case);
    puts("    *) _files ;;\n"
         "    esac\n"
         "}\n"
         "_scalene \"$@\"");
}

/* ---- fish ---- */

static void fish_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

static void fish_option(const struct command *command, const struct option *option)
{
    if (!option->name)
        return;
    printf("complete -c scalene -n '__fish_seen_subcommand_from %s' -l %s", command->name,
           option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (option->value)
        fputs(" -r", stdout);
    fputs(" -d '", stdout);
    fish_text(option->help);
    puts("'");
}

static void fish_command(const struct command *command)
{
    printf("complete -c scalene -n __fish_use_subcommand -a %s -d '", command->name);
    fish_text(command->about);
    puts("'");
    command_each_option(command, fish_option);
}

static void print_fish(void)
{
    commands_each(fish_command);
}

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

int completion_main(const char *const *arguments)
{
    bool is_help =
        arguments[0] && (strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0);
    if (is_help) {
        options_help(&completion_command, true, stdout);
        return STATUS_OK;
    }
    for (size_t i = 0; arguments[0] && !arguments[1] && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(arguments[0], shells[i].name) == 0) {
            shells[i].print();
            return STATUS_OK;
        }
    return fail(STATUS_USAGE, "completion needs the name of a shell: bash, zsh or fish.");
}
