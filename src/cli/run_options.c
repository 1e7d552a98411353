/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the options of scalene run. */
#include "cli/run_options.h"

#include <math.h>
#include <string.h>

static bool always(const char *value)
{
    return value != NULL;
}

bool run_is_configuration(const char *value)
{
    const char *dot = strrchr(value, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static bool is_code(const char *value)
{
    return !run_is_configuration(value);
}

#define AT(member) .offset = offsetof(struct run_options, member)
#define LATER(name_, kind_, help_)                                                                 \
    {                                                                                              \
        .name = name_, .kind = kind_, .shown = SHOWN_ADVANCED, AT(unused), .help = help_,          \
        .is_later = true                                                                           \
    }
#define PYTHONS(letter_, flag)                                                                     \
    {                                                                                              \
        .letter = letter_, .kind = OPTION_PASSED, .shown = SHOWN_NEVER, .passed_as = flag          \
    }
#define OLD(name_, kind_, value_)                                                                  \
    {                                                                                              \
        .name = name_, .kind = kind_, .shown = SHOWN_NEVER, .value = value_                        \
    }

static const struct option run_table[] = {
    {.name = "help", .letter = 'h', AT(wants_help), .help = "show this and end"},
    {.name = "help-advanced", AT(wants_advanced_help), .help = "show all options and end"},
    {.name = "cpu-only", AT(is_cpu_only), .help = "measure CPU time only, neither memory nor GPU"},
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
     .is_last = is_code,
     .help = "run CODE, as python -c does; a name that ends in .yaml or .yml is a configuration"},
    {.name = "config",
     .kind = OPTION_TEXT,
     .value = "FILE",
     AT(config),
     .is_later = true,
     .help = "take defaults of options from a YAML file"},
    {.name = "cpu-sampling-rate",
     .kind = OPTION_NUMBER,
     .shown = SHOWN_ADVANCED,
     .value = "SEC",
     AT(period_s),
     .low = 1e-6,
     .high = 4,
     .wants = "a number of seconds from 0.000001 to 4",
     .help = "CPU time between two samples of a thread (0.002); no shorter than the kernel's tick"},
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
    LATER("gpu", OPTION_ON, "measure the GPU"),
    {.name = "memory", .shown = SHOWN_ADVANCED, AT(has_memory), .help = "measure memory"},
    LATER("async", OPTION_ON, "measure how long tasks await"),
    LATER("no-async", OPTION_OFF, "do not measure how long tasks await"),
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
    {.name = "malloc-threshold",
     .kind = OPTION_NUMBER,
     .shown = SHOWN_ADVANCED,
     .value = "N",
     AT(malloc_threshold),
     .high = 1e18,
     .wants = "a number not below 0",
     .is_later = true,
     .help = "show files with at least this many allocations (100)"},
    {.name = "allocation-sampling-window",
     .kind = OPTION_NUMBER,
     .shown = SHOWN_ADVANCED,
     .value = "BYTES",
     AT(window_bytes),
     .low = 16,
     .high = 1 << 30,
     .wants = "a number of bytes from 16 to 1073741824",
     .help = "bytes allocated between two memory samples at the densest (32768)"},
    LATER("memory-leak-detector", OPTION_ON, "report likely leaks"),
    LATER("use-legacy-tracer", OPTION_ON, "accepted for compatibility: nothing is traced"),
    LATER("use-python-callback", OPTION_ON, "accepted for compatibility: nothing is traced"),
    {.name = "on", .shown = SHOWN_ADVANCED, AT(is_on), .help = "start measuring at once (default)"},
    {.name = "off",
     .shown = SHOWN_ADVANCED,
     AT(is_off),
     .help = "start with measuring switched off"},
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
    OLD("no-browser", OPTION_IGNORED, NULL),
    OLD("json", OPTION_IGNORED, NULL),
    OLD("cli", OPTION_IGNORED, NULL),
    OLD("html", OPTION_IGNORED, NULL),
    OLD("web", OPTION_IGNORED, NULL),
    OLD("viewer", OPTION_IGNORED, NULL),
    OLD("ipython", OPTION_IGNORED, NULL),
    OLD("column-width", OPTION_IGNORED_VALUE, "N"),
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
