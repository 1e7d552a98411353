/* SPDX-License-Identifier: Apache-2.0 */
/* scalene profile: speaks to a run that is going on. Switches measuring off and on for the whole
 * tree of processes, or has the profile written as it is now. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "collect/runs.h"

#include <stdlib.h>
#include <string.h>

struct profile_options {
    bool wants_help, is_on, is_off, is_dump, is_end;
    double pid;
};

#define AT(member) .offset = offsetof(struct profile_options, member)

static const struct option table[] = {
    {.name = "help", .letter = 'h', AT(wants_help), .help = "show this and end"},
    {.name = "on", AT(is_on), .help = "switch measuring on"},
    {.name = "off", AT(is_off), .help = "switch measuring off"},
    {.name = "dump", AT(is_dump), .help = "write the profile as it is now and say where it is"},
    {.name = "end",
     .shown = SHOWN_NEVER,
     AT(is_end),
     .help = "end the measuring of a process that began it itself: for the Python package"},
    {.name = "pid",
     .kind = OPTION_NUMBER,
     .value = "N",
     AT(pid),
     .low = 1,
     .high = INT32_MAX,
     .wants = "the number of a process",
     .help =
         "a process of the program, or scalene itself; needed if several programs are profiled"},
};
static const struct option_part profile_part = {table, sizeof table / sizeof *table};

const struct option_table profile_command = {
    .usage = "profile --on|--off|--dump [--pid N]",
    .about =
        "Speaks to a program that is being profiled: switches measuring on or off in all of its "
        "processes, or has the profile written while it runs.",
    .parts = {&profile_part},
};

static int ask(pid_t pid, enum control_request request)
{
    struct run run;
    struct err e;
    char answer[sizeof run.control->answer];
    if (!run_open(&run, pid, &e))
        return fail(STATUS_FAILED, e.text);
    bool is_done = run_ask(&run, request, answer, &e);
    run_close(&run);
    if (!is_done)
        return fail(STATUS_FAILED, e.text);
    if (request == REQUEST_ON || request == REQUEST_OFF)
        printf("Scalene: profiling turned %s.\n", request == REQUEST_ON ? "on" : "off");
    if (answer[0])
        printf("Scalene: profile saved to %s\n", answer);
    return STATUS_OK;
}

int profile_main(const char *const *arguments)
{
    struct profile_options values = {0};
    struct parsed parsed;
    struct err e;
    int status = STATUS_OK;
    if (!options_parse(&profile_command, arguments, &values, &parsed, &e))
        status = fail(STATUS_USAGE, e.text);
    else if (values.wants_help)
        options_help(&profile_command, true, stdout);
    else if (values.is_on + values.is_off + values.is_dump + values.is_end != 1)
        status = fail(STATUS_USAGE,
                      "profile needs one of --on, --off and --dump; --pid N says which program.");
    else if (parsed.rest.n)
        status = fail(STATUS_USAGE, "profile takes no arguments but its options.");
    else
        status = ask((pid_t)values.pid, values.is_on    ? REQUEST_ON
                                        : values.is_off ? REQUEST_OFF
                                        : values.is_end ? REQUEST_END
                                                        : REQUEST_DUMP);
    parsed_fini(&parsed);
    return status;
}
