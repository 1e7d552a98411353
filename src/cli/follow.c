/* SPDX-License-Identifier: Apache-2.0 */
/* scalene run --follow PID: measures a Python that runs already and has loaded the agent itself. It
 * is how the Python package begins to measure its own process.
 *
 * It goes into the background at once, as nobody's child, so that the program never waits for it;
 * it says on the standard output in which folder the agent finds it, and then holds nothing of the
 * program's open. */
#include "cli/follow.h"
#include "cli/cli.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* True in the process that goes on. */
static bool go_behind(void)
{
    pid_t child = fork();
    if (child > 0)
        _exit(STATUS_OK);
    setsid();
    return child == 0;
}

/* Tells the folder; from here on there is nobody to speak to. */
static void say_folder(const char *folder)
{
    printf("%s\n", folder);
    fflush(stdout);
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; nothing >= 0 && fd <= 2; fd++)
        dup2(nothing, fd);
    if (nothing > 2)
        close(nothing);
    if (chdir("/") != 0)
        return; /* then the folder stays in use: no harm */
}

/* The profile goes where whoever ended the measuring asked for it, or else, if the program has died
 * meanwhile, where profiles go. */
static void save(struct collect *collect, struct made *made, const struct follow_plan *plan)
{
    struct err e;
    made_read(made, collect);
    bool is_asked = collect_pending(collect) == REQUEST_END;
    const char *path = is_asked && plan->end_path ? plan->end_path : plan->path;
    bool is_saved = made_save(made, path, &e);
    collect_answer(collect, is_saved, is_saved ? path : e.text);
}

int follow_process(pid_t pid, const struct follow_plan *plan, const struct collect_launch *launch)
{
    struct collect *collect;
    struct err e;
    if (!go_behind())
        return fail(STATUS_FAILED, "cannot start a process beside the program.");
    if (!collect_follow(&collect, pid, launch, &e)) {
        printf("scalene: %s\n", e.text);
        fflush(stdout);
        return STATUS_FAILED;
    }
    say_folder(collect_folder(collect));
    save(collect, plan->made, plan);
    made_free(plan->made);
    collect_close(collect);
    return STATUS_OK;
}
