/* SPDX-License-Identifier: Apache-2.0 */
/* scalene replay: a recording to a profile, with the options of the profile given anew. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/make.h"
#include "cli/output.h"

struct replay_options {
    struct make_options make; /* first: see make_part */
    bool wants_help;
};
static_assert(offsetof(struct replay_options, make) == 0, "make_part counts from here");

static const struct option replay_table[] = {
    {.name = "help",
     .letter = 'h',
     .offset = offsetof(struct replay_options, wants_help),
     .help = "show this and end"},
};
static const struct option_part replay_part = {replay_table,
                                               sizeof replay_table / sizeof *replay_table};

const struct option_table replay_command = {
    .usage = "replay [options] recording",
    .about = "Makes a profile from a recording that scalene run --record has written.",
    .parts = {&replay_part, &make_part},
};

static int replay(const char *recording, const struct make_options *options)
{
    struct arena arena = {0};
    struct collect *collect;
    const char *path;
    struct err e;
    int status = STATUS_OK;
    if (!output_plan(&path, options->outfile, &arena, &e) ||
        !collect_replay(&collect, recording, &e))
        return fail(STATUS_FAILED, e.text);
    struct made *made = made_new(options);
    made_read(made, collect);
    if (collect_trouble(collect))
        status = fail(STATUS_FAILED, collect_trouble(collect));
    if (collect_processes(collect) == 0)
        status = STATUS_FAILED; /* not even the first record: nothing to write */
    else if (made_save(made, path, &e))
        say("profile saved to %s", path);
    else
        status = fail(STATUS_FAILED, e.text);
    made_free(made);
    collect_close(collect);
    arena_fini(&arena);
    return status;
}

int replay_main(const char *const *arguments)
{
    struct replay_options options = {.make = MAKE_DEFAULTS};
    struct parsed parsed;
    struct err e;
    int status = STATUS_OK;
    if (!options_parse(&replay_command, arguments, &options, &parsed, &e))
        status = fail(STATUS_USAGE, e.text);
    else if (options.wants_help)
        options_help(&replay_command, true, stdout);
    else if (parsed.rest.n != 1)
        status = fail(STATUS_USAGE, "replay needs the name of one recording.");
    else
        status = replay(parsed.rest.items[0], &options.make);
    parsed_fini(&parsed);
    return status;
}
