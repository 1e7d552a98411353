/* SPDX-License-Identifier: Apache-2.0 */
/* What scalene run says beside the program, on stderr: once when it starts in the background, and
 * after its end. Where upstream has a message of the same meaning, these are its words: people and
 * scripts look for them. */
#include "cli/remarks.h"

#include "cli/cli.h"
#include "cli/output.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Below this a profile says little; it is written all the same. */
#define FEW_SAMPLES 20

/* SIGSEGV of 11; the C library of old systems has no such list. */
static const char *signal_name(int number, char room[16])
{
#define NAME(signal_) [signal_] = #signal_
    static const char *const names[] = {
        NAME(SIGHUP),  NAME(SIGINT),    NAME(SIGQUIT), NAME(SIGILL),    NAME(SIGTRAP),
        NAME(SIGABRT), NAME(SIGBUS),    NAME(SIGFPE),  NAME(SIGKILL),   NAME(SIGUSR1),
        NAME(SIGSEGV), NAME(SIGUSR2),   NAME(SIGPIPE), NAME(SIGALRM),   NAME(SIGTERM),
        NAME(SIGXCPU), NAME(SIGXFSZ),   NAME(SIGPROF), NAME(SIGVTALRM), NAME(SIGSYS),
        NAME(SIGPOLL), NAME(SIGSTKFLT), NAME(SIGPWR),
    };
#undef NAME
    if ((size_t)number < sizeof names / sizeof *names && names[number])
        return names[number];
    snprintf(room, 16, "%d", number);
    return room;
}

void remark_death(int wait_status)
{
    char room[16];
    if (!WIFSIGNALED(wait_status))
        return;
    if (WTERMSIG(wait_status) == SIGINT)
        fputs("Scalene execution interrupted.\n", stderr);
    else
        say("the program received signal %s.", signal_name(WTERMSIG(wait_status), room));
}

void remark_nothing(enum control_refusal refusal, uint32_t hexversion)
{
    if (refusal == REFUSAL_NO_RING)
        say("nothing was measured: there is no room in shared memory for the agent's records.");
    else if (refusal == REFUSAL_NONE)
        say("nothing was measured: no Python was started that the agent could be loaded into.");
    else if (hexversion)
        say("python %u.%u cannot be measured: CPython 3.8 to 3.15 can.", hexversion >> 24,
            hexversion >> 16 & 255);
    else
        say("this Python cannot be measured: CPython 3.8 to 3.15 can.");
}

/* What to do when there was too little to see, by what was asked for. */
static void say_hint(const struct make_options *options)
{
    if (!options->is_all) {
        say("by default only files under the program's folder are profiled;");
        say("--profile-all shows the lines of all others, too.");
    } else if ((options->only && *options->only) || (options->exclude && *options->exclude)) {
        say("--profile-only or --profile-exclude may leave out too much.");
    } else {
        say("a second of work, or 10 MB of memory, is enough to say something.");
    }
}

void remark_few(const struct profile_result *result, const struct make_options *options)
{
    uint64_t n = result->n_samples + result->total.n_looks;
    if (n >= FEW_SAMPLES && result->n_files > 0)
        return;
    if (n < FEW_SAMPLES) {
        say("The specified code did not run for long enough to profile.");
        say("only %llu sample%s taken;", (unsigned long long)n, n == 1 ? " was" : "s were");
    } else {
        say("no file under '%s' was seen at work;", result->program_path);
    }
    say_hint(options);
}

void remark_saved(const char *path)
{
    bool is_default = strcmp(path, OUTPUT_DEFAULT) == 0;
    const char *space = is_default ? "" : " ", *file = is_default ? "" : path;
    fprintf(stderr,
            "\nScalene: profile saved to %s\n"
            "  in the browser:  scalene view%s%s\n"
            "  in the terminal: scalene view --cli%s%s\n",
            path, space, file, space, file);
}

void remark_background(void)
{
    pid_t foreground = tcgetpgrp(STDERR_FILENO);
    if (foreground < 0 || foreground == getpgrp())
        return;
    int pid = (int)getpid();
    fprintf(stderr,
            "Scalene now profiling process %d\n"
            "  to switch profiling off: scalene profile --off --pid %d\n"
            "  to switch it on again:   scalene profile --on --pid %d\n",
            pid, pid, pid);
}
