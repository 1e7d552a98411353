/* SPDX-License-Identifier: Apache-2.0 */
/* scalene manual: the manual page, or the list of options in Markdown, from the tables of options.
 */
#include "cli/cli.h"
#include "cli/commands.h"

#include <ctype.h>
#include <string.h>

struct manual_options {
    bool wants_help, is_markdown, is_list;
};

static const struct option table[] = {
    {.name = "help",
     .letter = 'h',
     .offset = offsetof(struct manual_options, wants_help),
     .help = "show this and end"},
    {.name = "markdown",
     .offset = offsetof(struct manual_options, is_markdown),
     .help = "the options alone, as doc/options.md has them"},
    {.name = "list",
     .shown = SHOWN_NEVER,
     .offset = offsetof(struct manual_options, is_list),
     .help = "every option there is, a line each: for tests"},
};
static const struct option_part manual_part = {table, sizeof table / sizeof *table};

const struct option_table manual_command = {
    .usage = "manual [--markdown]",
    .about = "Prints the manual page of scalene, for man: scalene manual | man -l -",
    .parts = {&manual_part},
};

/* "-o, --outfile FILE" */
static void print_names(const struct option *option)
{
    if (option->letter)
        printf("-%c%s", option->letter, option->name ? ", " : "");
    if (option->name)
        printf("--%s", option->name);
    if (option->value)
        printf(" %s", option->value);
}

/* The variable and the key that do the same. */
static void print_variable(const char *name)
{
    fputs("SCALENE_", stdout);
    for (; *name; name++)
        putchar(*name == '-' ? '_' : toupper((unsigned char)*name));
}

/* Text in roff: a dash is a dash, and no line begins with a command. */
static void print_roff(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            putchar('\\');
        putchar(*text == '\\' ? 'e' : *text);
    }
}

static void roff_option(const struct command *command, const struct option *option)
{
    (void)command;
    printf(".TP\n.B ");
    if (option->letter)
        printf("\\-%c%s", option->letter, option->name ? ", " : "");
    if (option->name) {
        fputs("\\-\\-", stdout);
        print_roff(option->name);
    }
    if (option->value)
        printf(" \\fI%s\\fR", option->value);
    putchar('\n');
    print_roff(option->help);
    putchar('\n');
}

static void roff_command(const struct command *command)
{
    printf(".SS scalene ");
    print_roff(command->table->usage);
    putchar('\n');
    print_roff(command->table->about);
    putchar('\n');
    command_each_option(command, roff_option);
}

static void print_page(void)
{
    printf(".TH SCALENE 1 \"\" \"scalene %s\" \"User commands\"\n", SCALENE_VERSION);
    puts(".SH NAME\nscalene \\- CPU and memory profiler for Python\n"
         ".SH SYNOPSIS\n.B scalene\n.I program.py\n[arguments]\n.br\n.B scalene\n.I "
         "command\n\\&...\n"
         ".SH DESCRIPTION\n"
         "Scalene runs a Python program and tells for each of its lines how much time went into\n"
         "Python code, native code, the system and waiting, and how much memory it allocated,\n"
         "kept, leaked and copied. The program is not changed and behaves as it does without.\n"
         ".PP\n.B scalene program.py\nruns a program and shows its profile in the terminal.\n"
         ".SH COMMANDS");
    commands_each(roff_command);
    puts(".SH CONFIGURATION\n"
         "Options of\n.B scalene run\n"
         "can also stand in a YAML file (\\-c FILE.yaml), in the table [tool.scalene] of the\n"
         "nearest pyproject.toml, or in the environment: SCALENE_PROFILE_ALL=1 is\n"
         "\\-\\-profile\\-all. The command line comes before the environment, and that before the\n"
         "file.\n"
         ".SH FILES\n.TP\n.B scalene\\-profile.json\nThe profile.\n"
         ".TP\n.B scalene\\-profile.html\nThe profile as a page.\n"
         ".SH EXIT STATUS\n"
         "That of the program; if it dies by a signal, scalene dies by the same. 1 if the program\n"
         "ended well and something of ours failed; 2 for a mistake on the command line.");
}

/* Whether its options can also be set by files and variables. */
static bool has_keys(const struct command *command)
{
    return strcmp(command->name, "run") == 0;
}

static void markdown_option(const struct command *command, const struct option *option)
{
    printf("| `");
    print_names(option);
    printf("` | %s |", option->help);
    if (has_keys(command) && option_is_key(option)) {
        fputs(" `", stdout);
        print_variable(option->name);
        fputs("` |", stdout);
    } else if (has_keys(command)) {
        fputs(" |", stdout);
    }
    putchar('\n');
}

static void markdown_command(const struct command *command)
{
    printf("\n## scalene %s\n\n%s\n\n", command->name, command->table->about);
    puts(has_keys(command) ? "| option | what it does | variable |\n|---|---|---|"
                           : "| option | what it does |\n|---|---|");
    command_each_option(command, markdown_option);
}

static void print_markdown(void)
{
    puts("# Every option\n\n"
         "Made from the program's own tables by `scalene manual --markdown`. Long options may be\n"
         "abbreviated as long as they are unmistakable. Where a variable of the environment is "
         "named,\n"
         "the name of the option is also a key of [configuration files](configuration.md).");
    commands_each(markdown_command);
}

/* "run outfile", "run -o" and, where files may set it, its keys: "key outfile", "key output". */
static void list_option(const struct command *command, const struct option *option)
{
    if (option->name)
        printf("%s %s\n", command->name, option->name);
    if (option->letter)
        printf("%s -%c\n", command->name, option->letter);
    if (has_keys(command) && option_is_key(option))
        printf("key %s\n", option->name);
    if (has_keys(command) && option->alias)
        printf("key %s\n", option->alias);
}

/* Those that no help names are in it, too. */
static void print_list(void)
{
    const struct option *option;
    for (size_t i = 0; i < n_commands; i++)
        for (size_t j = 0; (option = options_at(commands[i].table, j)); j++)
            list_option(&commands[i], option);
}

int manual_main(const char *const *arguments)
{
    struct manual_options values = {0};
    struct parsed parsed;
    struct err e;
    int status = STATUS_OK;
    if (!options_parse(&manual_command, arguments, &values, &parsed, &e))
        status = fail(STATUS_USAGE, e.text);
    else if (values.wants_help)
        options_help(&manual_command, true, stdout);
    else if (values.is_markdown)
        print_markdown();
    else if (values.is_list)
        print_list();
    else
        print_page();
    parsed_fini(&parsed);
    return status;
}
