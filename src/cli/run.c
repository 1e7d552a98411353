/* SPDX-License-Identifier: Apache-2.0 */
/* scalene run: starts a program, profiles it, writes the profile, and ends as the program did. */
#include "cli/cli.h"
#include "cli/config.h"
#include "cli/follow.h"
#include "cli/make.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/remarks.h"
#include "cli/run_options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The agent's library beside this program, as it is built, or where it is installed: the one that
 * leaves memory alone where memory is not asked for. */
static const char *find_agent(bool has_memory, struct arena *arena, struct err *e)
{
    static const char *const places[] = {"", "../lib/scalene/", "../libexec/"};
    const char *name = has_memory ? "libscalene.so" : "libscalene-cpu.so";
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = '\0';
    if (n < 0) /* there is no /proc: as we were called */
        snprintf(self, sizeof self, "%s", (const char *)getauxval(AT_EXECFN));
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        const char *path = arena_printf(arena, "%s/%s%s", self, places[i], name);
        if (access(path, R_OK) == 0)
            return path;
    }
    err_set(e, "%s is not beside the program, in ../lib/scalene or in ../libexec.", name);
    return NULL;
}

/* Ends as the program did. A core dump is the program's, not ours. */
static int end_like(int wait_status)
{
    sigset_t only;
    if (WIFEXITED(wait_status))
        return WEXITSTATUS(wait_status);
    int number = WTERMSIG(wait_status);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_DUMPABLE, 0);
    fflush(NULL);
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    return 128 + number;
}

/* A failure of ours shows in the status only where the program had none. */
static int end_failed(int wait_status)
{
    return wait_status == 0 ? STATUS_FAILED : end_like(wait_status);
}

/* What became of a run. */
struct outcome {
    int wait_status;  /* of the program */
    bool is_saved;    /* the profile */
    bool is_complete; /* all that was asked for is written; what is not was explained */
};

/* The profile is written while the program runs, too: at intervals, or when it is asked for. */
struct writing {
    const struct run_options *options;
    const char *path;
    struct made *made;
    double due_s;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_write_due(void *context)
{
    const struct writing *writing = context;
    return writing->options->interval_s > 0 && now_s() >= writing->due_s;
}

/* Whoever switches measuring off has the profile up to then, if he has named its file. */
static bool write_now(void *context, enum control_request request, struct err *e)
{
    struct writing *writing = context;
    char whole[PATH_MAX];
    if (request == REQUEST_OFF && !writing->options->make.outfile)
        return true;
    made_work_out(writing->made);
    if (!made_save(writing->made, writing->path, e))
        return false;
    if (request == REQUEST_NONE)
        writing->due_s = now_s() + writing->options->interval_s;
    err_set(e, "%s", realpath(writing->path, whole) ? whole : writing->path);
    return true;
}

/* From the started program to the written profile. */
static struct outcome follow(struct collect *collect, const struct run_options *options,
                             struct made *made, const char *path)
{
    uint32_t hexversion;
    struct err e;
    made_read(made, collect);
    enum control_refusal refusal = collect_refusal(collect, &hexversion);
    struct outcome outcome = {.wait_status = collect_wait_status(collect)};
    remark_death(outcome.wait_status);
    if (collect_processes(collect) == 0) {
        remark_nothing(refusal, hexversion);
    } else if (!(outcome.is_saved = made_save(made, path, &e))) {
        say("%s", e.text);
    } else {
        remark_few(made_result(made), &options->make);
        if (refusal != REFUSAL_NONE)
            say("a Python started by the program could not be measured.");
    }
    outcome.is_complete = outcome.is_saved && !collect_trouble(collect);
    if (collect_trouble(collect))
        say("%s", collect_trouble(collect));
    made_free(made);
    collect_close(collect);
    return outcome;
}

static void say_later(const struct parsed *parsed)
{
    char label[64];
    for (size_t i = 0; i < parsed->later.n; i++)
        say("%s has no effect yet: %s.", option_label(parsed->later.items[i], label),
            parsed->later.items[i]->later);
}

/* Upstream's users separate the program from its options by ---: the first one is not passed on. */
static void drop_separator(struct parsed *parsed)
{
    for (size_t i = 1; i < parsed->rest.n; i++) {
        if (strcmp(parsed->rest.items[i], "---") != 0)
            continue;
        memmove(&parsed->rest.items[i], &parsed->rest.items[i + 1],
                (--parsed->rest.n - i) * sizeof *parsed->rest.items);
        return;
    }
}

static struct program_wish wish_of(const struct run_options *options, const struct parsed *parsed)
{
    return (struct program_wish){.python = options->python,
                                 .module = options->module,
                                 .code = options->code,
                                 .flags = parsed->passed.items,
                                 .n_flags = parsed->passed.n,
                                 .rest = parsed->rest.items,
                                 .n_rest = parsed->rest.n,
                                 .called_as = program_invocation_name,
                                 .root = options->make.program_path};
}

/* The profile as it was asked for: in the terminal, as a page, in the browser, or just where it is.
 */
static void show(const struct run_options *options, const char *path, struct arena *arena)
{
    const char *page = arena_printf(arena, "%.*shtml", (int)(strlen(path) - strlen("json")), path);
    char columns[16];
    snprintf(columns, sizeof columns, "%d", (int)options->columns);
    if (options->columns > 0)
        setenv("COLUMNS", columns, 1);
    if (options->then == THEN_TERMINAL)
        view_in_terminal(path);
    else if (options->then == THEN_PAGE)
        view_main((const char *[]){"--html", "-o", page, path, NULL});
    else if (options->then == THEN_BROWSER && options->has_no_browser)
        view_main((const char *[]){"--no-browser", path, NULL});
    else if (options->then == THEN_BROWSER)
        view_main((const char *[]){path, NULL});
    else
        remark_saved(path);
}

/* What is to be measured, and how. */
static struct collect_launch launch_of(const struct run_options *options, const char *agent,
                                       const struct collect_run *run, struct writing *writing)
{
    struct collect_launch launch = {.agent_path = agent,
                                    .period_ns = PERIOD_NS,
                                    .old_period_ns = OLD_PERIOD_NS,
                                    .is_watched = !options->is_virtual,
                                    .record_path = options->record,
                                    .is_off = options->is_off,
                                    .pause = {is_write_due, write_now, writing},
                                    .run = *run};
    if (options->period_s > 0)
        launch.period_ns = launch.old_period_ns = (uint32_t)lround(options->period_s * 1e9);
    launch.run.is_mean_fixed = options->window_bytes > 0;
    if (run_has_memory(options))
        launch.run.memory_mean =
            launch.run.is_mean_fixed ? (uint32_t)options->window_bytes : MEMORY_MEAN;
    return launch;
}

/* A process that runs already; the only argument is what it is called. */
static int run_beside(struct run_options *options, const struct parsed *parsed)
{
    static const char *const none[] = {NULL};
    struct arena arena = {0};
    struct err e;
    const char *path, *agent, *name = parsed->rest.n ? parsed->rest.items[0] : "";
    const char *root = options->make.program_path ? options->make.program_path : "";
    if (!output_plan(&path, options->make.outfile, &arena, &e) ||
        !(agent = find_agent(run_has_memory(options), &arena, &e)))
        return fail(STATUS_FAILED, e.text);
    say_later(parsed);
    struct writing writing = {options, path, made_new(&options->make),
                              now_s() + options->interval_s};
    struct follow_plan plan = {writing.made, path, options->end_path};
    struct collect_run run = {
        .program = name, .entry_folder = root, .program_path = root, .arguments = none};
    struct collect_launch launch = launch_of(options, agent, &run, &writing);
    int status = follow_process((pid_t)options->follow_pid, &plan, &launch);
    arena_fini(&arena);
    return status;
}

/* Everything that can go wrong before the program runs, then the run. */
static int run_with(struct run_options *options, struct parsed *parsed)
{
    struct arena arena = {0};
    struct err e;
    struct program program = {0};
    struct collect *collect;
    const char *path, *agent;
    struct program_wish wish = wish_of(options, parsed);
    bool has_memory = run_has_memory(options);
    if (!program_find(&program, &wish, &arena, &e) ||
        !output_plan(&path, options->make.outfile, &arena, &e) ||
        !(agent = find_agent(has_memory, &arena, &e)))
        return fail(STATUS_FAILED, e.text);
    say_later(parsed);
    if (options->is_jit_off) {
        setenv("JAX_DISABLE_JIT", "1", 0);
        setenv("PYTORCH_JIT", "0", 0);
    }
    struct writing writing = {options, path, made_new(&options->make),
                              now_s() + options->interval_s};
    struct collect_launch launch = launch_of(options, agent, &program.run, &writing);
    launch.argv = program.argv;
    launch.gives_profile = make_has_decorator(program.run.program);
    if (!collect_start(&collect, &launch, &e)) {
        made_free(writing.made);
        return fail(STATUS_FAILED, e.text);
    }
    remark_background();
    struct outcome outcome = follow(collect, options, writing.made, path);
    if (outcome.is_saved)
        show(options, path, &arena);
    arena_fini(&arena);
    return outcome.is_complete ? end_like(outcome.wait_status) : end_failed(outcome.wait_status);
}

/* The layers below the command line: a file, then the environment. What they leave is what the
 * command line starts from. */
static bool load_settings(const char *const *arguments, struct run_options *options,
                          struct config *config, struct parsed *later, struct err *e)
{
    struct run_options typed = *options;
    struct parsed parsed;
    bool is_parsed = options_parse(&run_command, arguments, &typed, &parsed, e);
    parsed_fini(&parsed);
    if (!is_parsed || typed.wants_help || typed.wants_advanced_help)
        return true; /* whoever parses next says so */
    return config_load(config, typed.config, &run_command, options, later, e);
}

static int run(const char *const *arguments, enum then then)
{
    struct run_options options = RUN_DEFAULTS;
    struct config config = {0};
    struct parsed parsed, later = {0};
    struct err e;
    int status = STATUS_OK;
    options.then = (int)then;
    if (!load_settings(arguments, &options, &config, &later, &e)) {
        config_fini(&config);
        parsed_fini(&later);
        return fail(STATUS_FAILED, e.text);
    }
    if (!options_parse(&run_command, arguments, &options, &parsed, &e))
        status = fail(STATUS_USAGE, e.text);
    else if (options.wants_help || options.wants_advanced_help)
        options_help(&run_command, options.wants_advanced_help, stdout);
    else {
        drop_separator(&parsed);
        say_later(&later);
        status =
            options.follow_pid > 0 ? run_beside(&options, &parsed) : run_with(&options, &parsed);
    }
    parsed_fini(&parsed);
    parsed_fini(&later);
    config_fini(&config);
    return status;
}

int run_main(const char *const *arguments)
{
    return run(arguments, THEN_SAY);
}

int run_and_view(const char *const *arguments)
{
    return run(arguments, THEN_TERMINAL);
}
