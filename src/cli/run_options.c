/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the options of scalene run. */
#include "cli/run_options.h"

#include <math.h>
#include <string.h>

static bool always(const char *value)
{
    return value != NULL;
}

/* Whether the value of -c is code: else it names a configuration. */
static bool is_code(const char *value)
{
    const char *dot = strrchr(value, '.');
    return !dot || (strcmp(dot, ".yaml") != 0 && strcmp(dot, ".yml") != 0);
}

bool run_has_memory(const struct run_options *options)
{
    /* As upstream: everything, unless only a part is asked for. */
    return options->memory == WISH_YES ||
           (options->memory == WISH_NONE && options->gpu != WISH_YES);
}

#define AT(member) .offset = offsetof(struct run_options, member)
#define PYTHONS(letter_, flag)                                                                     \
    {                                                                                              \
        .letter = letter_, .kind = OPTION_PASSED, .shown = SHOWN_NEVER, .passed_as = flag          \
    }
/* Known from elsewhere: accepted, nothing follows from it. */
#define OLD(name_, kind_, value_)                                                                  \
    {                                                                                              \
        .name = name_, .kind = kind_, .shown = SHOWN_NEVER, .value = value_, .is_typed = true      \
    }
#define THEN(name_, what, help_)                                                                   \
    {                                                                                              \
        .name = name_, .kind = OPTION_CHOICE, .shown = SHOWN_ADVANCED, AT(then), .choice = what,   \
        .is_typed = true, .help = help_                                                            \
    }

static const struct option run_table[] = {
    {.name = "help", .letter = 'h', AT(wants_help), .is_typed = true, .help = "show this and end"},
    {.name = "help-advanced",
     AT(wants_advanced_help),
     .is_typed = true,
     .help = "show all options and end"},
    {.name = "cpu-only",
     .kind = OPTION_CHOICE,
     AT(memory),
     .also = offsetof(struct run_options, gpu),
     .choice = WISH_NO,
     .otherwise = WISH_NONE,
     .help = "measure CPU time only, neither memory nor GPU"},
    {.name = "python",
     .kind = OPTION_TEXT,
     .value = "PATH",
     AT(python),
     .wants = "the path or name of a Python",
     .help = "run the program with this Python"},
    {.letter = 'm',
     .kind = OPTION_TEXT,
     .value = "MODULE",
     AT(module),
     .is_last = always,
     .help = "run a module, as python -m does"},
    {.letter = 'c',
     .kind = OPTION_TEXT,
     .value = "CODE",
     AT(code),
     .also = offsetof(struct run_options, config),
     .is_last = is_code,
     .help = "run CODE, as python -c does; a name that ends in .yaml or .yml is a configuration"},
    {.name = "config",
     .kind = OPTION_TEXT,
     .value = "FILE",
     AT(config),
     .wants = "a file",
     .is_typed = true,
     .help =
         "take options from a YAML file (or TOML: its table tool.scalene), as -c FILE.yaml does"},
    {.name = "cpu-sampling-rate",
     .kind = OPTION_NUMBER,
     .shown = SHOWN_ADVANCED,
     .value = "SEC",
     AT(period_s),
     .low = 1e-6,
     .high = 4,
     .wants = "a number of seconds from 0.000001 to 4",
     .help = "CPU time between two samples of a thread (0.002 at first, then 0.009); no shorter "
             "than the kernel's tick"},
    {.name = "record",
     .kind = OPTION_TEXT,
     .shown = SHOWN_ADVANCED,
     .value = "FILE",
     AT(record),
     .wants = "a file",
     .help = "keep all records in FILE, for scalene replay"},
    {.name = "disable-jit",
     .shown = SHOWN_ADVANCED,
     AT(is_jit_off),
     .help = "set JAX_DISABLE_JIT=1 and PYTORCH_JIT=0 for the program unless they are set"},
    {.name = "gpu",
     .kind = OPTION_CHOICE,
     .shown = SHOWN_ADVANCED,
     AT(gpu),
     .choice = WISH_YES,
     .otherwise = WISH_NO,
     .later = "GPUs are not measured, and memory only where --memory stands beside it",
     .help = "measure the GPU (not yet: it says so); without --memory no memory"},
    {.name = "memory",
     .kind = OPTION_CHOICE,
     .shown = SHOWN_ADVANCED,
     AT(memory),
     .choice = WISH_YES,
     .otherwise = WISH_NO,
     .help = "measure memory and copies (default)"},
    {.name = "async",
     .shown = SHOWN_ADVANCED,
     AT(unused),
     .later = "how long tasks await is not measured",
     .help = "measure how long tasks await (not yet: it says so)"},
    {.name = "no-async",
     .kind = OPTION_OFF,
     .shown = SHOWN_ADVANCED,
     AT(unused),
     .is_typed = true,
     .help = "do not measure how long tasks await (nothing does yet)"},
    {.name = "profile-interval",
     .kind = OPTION_NUMBER,
     .shown = SHOWN_ADVANCED,
     .value = "SEC",
     AT(interval_s),
     .low = 1e-3,
     .high = INFINITY,
     .wants = "a number of seconds above 0",
     .help = "write the profile every SEC seconds while the program runs"},
    {.name = "use-virtual-time",
     .shown = SHOWN_ADVANCED,
     AT(is_virtual),
     .help = "measure CPU time only, no waiting"},
    {.name = "allocation-sampling-window",
     .kind = OPTION_NUMBER,
     .shown = SHOWN_ADVANCED,
     .value = "BYTES",
     AT(window_bytes),
     .low = 16,
     .high = 1 << 30,
     .wants = "a number of bytes from 16 to 1073741824",
     .help = "bytes between two memory samples (4096, more where they would cost too much)"},
    {.name = "use-legacy-tracer",
     .kind = OPTION_IGNORED,
     .shown = SHOWN_ADVANCED,
     .help = "accepted for compatibility: no tracer is used"},
    {.name = "use-python-callback",
     .kind = OPTION_IGNORED,
     .shown = SHOWN_ADVANCED,
     .help = "accepted for compatibility: no callback is used"},
    {.name = "on",
     .kind = OPTION_OFF,
     .shown = SHOWN_ADVANCED,
     AT(is_off),
     .excludes = "off",
     .help = "start measuring at once (default)"},
    {.name = "off",
     .shown = SHOWN_ADVANCED,
     AT(is_off),
     .excludes = "on",
     .help = "start with measuring switched off"},
    {.name = "follow",
     .kind = OPTION_NUMBER,
     .shown = SHOWN_NEVER,
     .value = "PID",
     AT(follow_pid),
     .low = 1,
     .high = INT32_MAX,
     .wants = "the number of a process",
     .is_typed = true,
     .help = "measure a process that runs already: for the Python package"},
    {.name = "end-path",
     .kind = OPTION_TEXT,
     .shown = SHOWN_NEVER,
     .value = "FILE",
     AT(end_path),
     .is_typed = true,
     .help = "where its profile is written when it ends the measuring itself"},
    PYTHONS('b', "-b"),
    PYTHONS('B', "-B"),
    PYTHONS('d', "-d"),
    PYTHONS('E', "-E"),
    PYTHONS('i', "-i"),
    PYTHONS('I', "-I"),
    PYTHONS('O', "-O"),
    PYTHONS('P', "-P"),
    PYTHONS('q', "-q"),
    PYTHONS('R', "-R"),
    PYTHONS('s', "-s"),
    PYTHONS('S', "-S"),
    PYTHONS('u', "-u"),
    PYTHONS('v', "-v"),
    PYTHONS('x', "-x"),
    {.letter = 'W',
     .kind = OPTION_PASSED_VALUE,
     .shown = SHOWN_NEVER,
     .value = "ARG",
     .passed_as = "-W"},
    {.letter = 'X',
     .kind = OPTION_PASSED_VALUE,
     .shown = SHOWN_NEVER,
     .value = "OPT",
     .passed_as = "-X"},
    THEN("cli", THEN_TERMINAL, "when the program has ended, show the profile in the terminal"),
    THEN("html", THEN_PAGE, "when the program has ended, write the profile as a page, too (.html)"),
    THEN("web", THEN_BROWSER, "when the program has ended, show the profile in the browser"),
    THEN("json", THEN_SAY, "only write the profile (default)"),
    {.name = "no-browser",
     .shown = SHOWN_ADVANCED,
     AT(has_no_browser),
     .is_typed = true,
     .help = "with --web: print the address of the page and open nothing"},
    {.name = "column-width",
     .kind = OPTION_NUMBER,
     .shown = SHOWN_ADVANCED,
     .value = "N",
     AT(columns),
     .low = 40,
     .high = 1000,
     .wants = "a number of columns from 40 to 1000",
     .help = "with --cli: how wide (the terminal's width)"},
    {.name = "viewer",
     .kind = OPTION_CHOICE,
     .shown = SHOWN_NEVER,
     AT(then),
     .choice = THEN_BROWSER,
     .is_typed = true},
    OLD("ipython", OPTION_IGNORED, NULL),
    OLD("port", OPTION_IGNORED_VALUE, "N"),
    OLD("pid", OPTION_IGNORED_VALUE, "N"),
};

static const struct option_part run_part = {run_table, sizeof run_table / sizeof *run_table};

const struct option_table run_command = {
    .usage = "run [options] [python's options] program [arguments]",
    .about =
        "Runs a Python program and writes what every line of it cost. A program is a script, a "
        "folder or zip with a __main__.py, a command from the PATH, -m MODULE, -c CODE, or - "
        "for the standard input. Options go before the program; what follows it is the "
        "program's own. --- ends our options.",
    .parts = {&run_part, &make_part},
    .is_launcher = true,
};
