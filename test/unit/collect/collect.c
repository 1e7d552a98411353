/* SPDX-License-Identifier: Apache-2.0 */
/* The collector against programs of known behaviour: this file executed again as a fake agent,
 * which makes rings and writes numbered records without any Python. */
#include "collect/collect.h"

#include "../check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SMALL_RING (64u * 1024u)

/* ---- the fake agent: what the program does when it is started with a word ---- */

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct control *fake_control(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/" CONTROL_FILE, getenv(CONTROL_ENV));
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *block = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(fd >= 0 && block != MAP_FAILED);
    close(fd);
    return block;
}

/* Makes a ring file of this process that claims this version and size (0: the true one). */
static struct ring fake_ring_of(uint32_t version, uint32_t data_bytes)
{
    struct control *control = fake_control();
    struct timespec now;
    struct ring ring;
    char path[600];
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(path, sizeof path, "%s/" RING_FILE_PREFIX "%d-%lld", getenv(CONTROL_ENV), getpid(),
             (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)ring_file_bytes(control->ring_bytes)) == 0);
    CHECK(ring_map(&ring, fd, control->ring_bytes));
    close(fd);
    ring.header->version = version;
    ring.header->data_bytes = data_bytes ? data_bytes : control->ring_bytes;
    ring.header->pid = (uint32_t)getpid();
    atomic_store_explicit(&ring.header->magic, RING_MAGIC, memory_order_release);
    atomic_fetch_add_explicit(&control->rings, 1, memory_order_release);
    return ring;
}

static struct ring fake_ring(void)
{
    return fake_ring_of(WIRE_VERSION, 0);
}

/* Writes samples numbered in time_ns, waiting for room, so that none is missing. */
static void fake_samples(struct ring *ring, uint64_t from, uint64_t n)
{
    for (uint64_t i = from; i < from + n; i++) {
        struct record_sample *sample;
        while (!(sample = ring_reserve(ring, sizeof *sample)))
            nap_ms(1);
        sample->time_ns = i;
        ring_finish(sample, RECORD_SAMPLE, 0, sizeof *sample);
        ring_count(ring, COUNTER_SAMPLES, 1);
    }
}

static void act_killed(void)
{
    struct ring ring = fake_ring();
    fake_samples(&ring, 0, 1000);
    kill(getpid(), SIGKILL);
}

static void act_exit_7(void)
{
    struct ring ring = fake_ring();
    fake_samples(&ring, 0, 3);
    _exit(7);
}

static void act_flood(void)
{
    struct ring ring = fake_ring();
    fake_samples(&ring, 0, 20000);
}

static void act_unfinished(void)
{
    struct ring ring = fake_ring();
    fake_samples(&ring, 0, 5);
    CHECK(ring_reserve(&ring, 40));
    fake_samples(&ring, 5, 5);
}

static void act_nonsense(void)
{
    struct ring ring = fake_ring();
    fake_samples(&ring, 0, 5);
    void *record = ring_reserve(&ring, 40);
    ring_finish(record, RECORD_SAMPLE, 0, 0x7ffffff8);
}

static void act_liar(void)
{
    fake_ring_of(WIRE_VERSION, 1u << 29);
    fake_ring_of(WIRE_VERSION + 1, 0);
}

/* A child that goes on for a while after its parent has ended. */
static void fork_that_lives(long ms)
{
    struct ring ring = fake_ring();
    fake_samples(&ring, 0, 10);
    nap_ms(5);
    if (fork() == 0) {
        ring = fake_ring();
        fake_samples(&ring, 100, 10);
        nap_ms(ms);
        fake_samples(&ring, 110, 10);
        _exit(0);
    }
    nap_ms(50);
}

static void act_forks(void)
{
    fork_that_lives(400);
}

static void act_daemon(void)
{
    fork_that_lives(4000);
}

/* Two processes that write in turns, the child the odd numbers; nothing before the word is given.
 */
static void act_turns(void)
{
    char word;
    CHECK(read(atoi(getenv("TEST_GO")), &word, 1) == 1);
    struct ring ring = fake_ring();
    pid_t child = fork();
    if (child == 0) {
        ring = fake_ring();
        for (uint64_t i = 1; i < 40; i += 2)
            fake_samples(&ring, i, 1);
        _exit(0);
    }
    for (uint64_t i = 0; i < 60; i += 2)
        fake_samples(&ring, i, 1);
    waitpid(child, NULL, 0);
}

static void act_exec(void)
{
    struct ring ring = fake_ring();
    fake_samples(&ring, 0, 10);
    execl("/proc/self/exe", "collect", "exit_7", NULL);
}

static volatile sig_atomic_t n_caught;

static void on_signal(int number)
{
    (void)number;
    n_caught++;
}

/* Its exit status is how often it was hit within the time: 1 is right. */
static void act_signalled(void)
{
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
    kill(getppid(), SIGUSR2); /* from the program itself, so it must not come back */
    CHECK(write(atoi(getenv("TEST_READY")), "!", 1) == 1);
    for (int64_t end = clock_ms() + 5000; clock_ms() < end && !n_caught;)
        nap_ms(5);
    nap_ms(200);
    _exit(n_caught);
}

static void act_stops(void)
{
    raise(SIGSTOP);
    _exit(9);
}

/* How many files a program we start should find open beside the standard three. */
static int inherited_files(void)
{
    int n = 0;
    for (int fd = 3; fd < 256; fd++) {
        int flags = fcntl(fd, F_GETFD);
        n += flags >= 0 && !(flags & FD_CLOEXEC);
    }
    return n;
}

/* Exits with 0 if it was given what a bare start would have given it. */
static void act_inherits(void)
{
    sigset_t mask;
    struct sigaction child, interrupt;
    const char *n_files = getenv("TEST_FILES");
    sigprocmask(SIG_SETMASK, NULL, &mask);
    sigaction(SIGCHLD, NULL, &child);
    sigaction(SIGINT, NULL, &interrupt);
    _exit((sigismember(&mask, SIGUSR1) != 1) | (sigismember(&mask, SIGTERM) == 1) << 1 |
          (child.sa_handler != SIG_IGN) << 2 | (interrupt.sa_handler != SIG_IGN) << 3 |
          (!n_files || atoi(n_files) != inherited_files()) << 4);
}

static const struct {
    const char *name;
    void (*act)(void);
} acts[] = {
    {"killed", act_killed},       {"exit_7", act_exit_7},         {"flood", act_flood},
    {"nonsense", act_nonsense},   {"unfinished", act_unfinished}, {"liar", act_liar},
    {"forks", act_forks},         {"daemon", act_daemon},         {"exec", act_exec},
    {"signalled", act_signalled}, {"stops", act_stops},           {"inherits", act_inherits},
    {"turns", act_turns},
};

static int perform(const char *name)
{
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strcmp(acts[i].name, name) == 0)
            acts[i].act();
    return 0;
}

/* ---- the tests ---- */

/* What came out of a run, per process. */
struct seen {
    uint32_t n_processes, n_runs;
    uint64_t n_samples[4], next_time[4], counted[4], cpu_ns[4];
    int n_ends[4];
    bool is_in_order;
    int status;
};

static struct collect *start(const char *act, uint32_t ring_bytes)
{
    const char *argv[] = {"/proc/self/exe", act, NULL};
    struct collect_launch launch = {.argv = argv,
                                    .agent_path = "libc.so.6", /* harmless to preload */
                                    .period_ns = 1000000,
                                    .ring_bytes = ring_bytes,
                                    .run = {.program = "/x/prog.py"}};
    struct collect *c;
    struct err e;
    CHECK(collect_start(&c, &launch, &e));
    return c;
}

static void see(struct seen *seen, uint32_t process, const struct record_header *record)
{
    CHECK(process < 4);
    if (record->kind == RECORD_RUN)
        seen->n_runs++;
    CHECK(seen->n_runs == 1); /* the first of all */
    if (record->kind == RECORD_SAMPLE) {
        const struct record_sample *sample = (const void *)record;
        CHECK(seen->n_ends[process] == 0);
        seen->is_in_order &=
            seen->n_samples[process]++ == 0 || sample->time_ns == seen->next_time[process];
        seen->next_time[process] = sample->time_ns + 1;
    }
    if (record->kind == RECORD_END) {
        const struct record_end *end = (const void *)record;
        seen->n_ends[process]++;
        seen->counted[process] = end->counters[COUNTER_SAMPLES];
        seen->cpu_ns[process] = end->cpu_ns;
    }
}

static struct seen drain(struct collect *c)
{
    struct seen seen = {.is_in_order = true};
    const struct record_header *record;
    uint32_t process;
    while (collect_next(c, &process, &record))
        see(&seen, process, record);
    CHECK(!collect_next(c, &process, &record));
    seen.n_processes = collect_processes(c);
    seen.status = collect_wait_status(c);
    collect_close(c);
    CHECK(seen.is_in_order);
    return seen;
}

static void killed_process_is_drained_to_the_end(void)
{
    struct seen seen = drain(start("killed", 0));
    CHECK(WIFSIGNALED(seen.status) && WTERMSIG(seen.status) == SIGKILL);
    CHECK(seen.n_samples[0] == 1000 && seen.counted[0] == 1000 && seen.n_ends[0] == 1);
    CHECK(seen.cpu_ns[0] > 100000 && seen.cpu_ns[0] < 5000000000);
}

static void exit_status_is_told(void)
{
    struct seen seen = drain(start("exit_7", 0));
    CHECK(WIFEXITED(seen.status) && WEXITSTATUS(seen.status) == 7 && seen.n_samples[0] == 3);
}

static void more_than_a_ring_full_comes_through(void)
{
    struct seen seen = drain(start("flood", SMALL_RING));
    CHECK(seen.n_samples[0] == 20000 && seen.n_ends[0] == 1);
}

static void unfinished_record_ends_the_ring(void)
{
    struct seen seen = drain(start("unfinished", SMALL_RING));
    CHECK(seen.n_samples[0] == 5 && seen.n_ends[0] == 1);
}

static void nonsense_in_a_ring_is_not_followed(void)
{
    struct seen seen = drain(start("nonsense", SMALL_RING));
    CHECK(seen.n_samples[0] == 5 && seen.n_ends[0] == 1);
}

static void files_that_are_no_rings_are_refused(void)
{
    struct seen seen = drain(start("liar", SMALL_RING));
    CHECK(seen.n_processes == 0 && seen.status == 0);
}

static void child_that_outlives_the_program_is_drained(void)
{
    struct seen seen = drain(start("forks", SMALL_RING));
    CHECK(seen.n_processes == 2 && seen.n_samples[0] == 10 && seen.n_samples[1] == 20);
    CHECK(seen.n_ends[0] == 1 && seen.n_ends[1] == 1);
}

static void daemon_is_not_waited_for(void)
{
    int64_t begin = clock_ms();
    struct seen seen = drain(start("daemon", SMALL_RING));
    CHECK(seen.n_samples[1] == 10 && seen.n_ends[1] == 1);
    CHECK(clock_ms() - begin > 1900 && clock_ms() - begin < 3900);
}

/* The child's end, after its last record, is in its place, too. */
static void records_of_all_processes_come_in_the_order_of_time(void)
{
    int go[2];
    char number[16];
    siginfo_t info;
    const struct record_header *record;
    uint32_t process;
    uint64_t next = 0, end_of_child = 0;
    CHECK(pipe(go) == 0);
    snprintf(number, sizeof number, "%d", go[0]);
    setenv("TEST_GO", number, 1);
    struct collect *c = start("turns", SMALL_RING);
    CHECK(write(go[1], "!", 1) == 1);
    CHECK(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0);
    while (collect_next(c, &process, &record)) {
        if (record->kind == RECORD_END && process == 1)
            end_of_child = next;
        if (record->kind != RECORD_SAMPLE)
            continue;
        CHECK(((const struct record_sample *)(const void *)record)->time_ns == next);
        next += next < 40 ? 1 : 2;
    }
    CHECK(next == 60 && end_of_child == 40);
    collect_close(c);
    close(go[0]);
    close(go[1]);
}

static void exec_begins_a_new_process_number(void)
{
    struct seen seen = drain(start("exec", SMALL_RING));
    CHECK(seen.n_processes == 2 && seen.n_samples[0] == 10 && seen.n_samples[1] == 3);
    CHECK(seen.cpu_ns[0] == 0 && seen.cpu_ns[1] > 0 && WEXITSTATUS(seen.status) == 7);
}

/* A pipe into which the program says that it can be hit. */
struct ready {
    int ends[2];
};

static struct ready ready_open(void)
{
    struct ready ready;
    char number[16];
    CHECK(pipe(ready.ends) == 0);
    snprintf(number, sizeof number, "%d", ready.ends[1]);
    setenv("TEST_READY", number, 1);
    return ready;
}

static void ready_wait(const struct ready *ready)
{
    char word;
    CHECK(read(ready->ends[0], &word, 1) == 1);
}

static void ready_close(const struct ready *ready)
{
    close(ready->ends[0]);
    close(ready->ends[1]);
}

static void signal_sent_to_us_reaches_the_program_once(void)
{
    struct ready ready = ready_open();
    struct collect *c = start("signalled", 0);
    pid_t us = getpid();
    if (fork() == 0) {
        ready_wait(&ready);
        kill(us, SIGTERM);
        _exit(0);
    }
    struct seen seen = drain(c);
    CHECK(WIFEXITED(seen.status) && WEXITSTATUS(seen.status) == 1);
    wait(NULL);
    ready_close(&ready);
}

/* What was sent to the whole group has reached the program already. */
static void signal_sent_to_the_group_reaches_the_program_once(void)
{
    int status;
    struct ready ready = ready_open();
    pid_t runner = fork();
    if (runner == 0) {
        setpgid(0, 0);
        struct seen seen = drain(start("signalled", 0));
        _exit(WIFEXITED(seen.status) ? WEXITSTATUS(seen.status) : 99);
    }
    ready_wait(&ready);
    kill(-runner, SIGTERM);
    CHECK(waitpid(runner, &status, 0) == runner && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
    ready_close(&ready);
}

/* In a process of its own, which the test watches as a shell would. */
static void stop_is_passed_on_and_continued(void)
{
    int status;
    pid_t runner = fork();
    if (runner == 0) {
        struct seen seen = drain(start("stops", 0));
        _exit(WIFEXITED(seen.status) ? WEXITSTATUS(seen.status) : 99);
    }
    CHECK(waitpid(runner, &status, WUNTRACED) == runner && WIFSTOPPED(status));
    CHECK(WSTOPSIG(status) == SIGSTOP);
    kill(runner, SIGCONT);
    CHECK(waitpid(runner, &status, 0) == runner && WIFEXITED(status) && WEXITSTATUS(status) == 9);
}

static void program_inherits_what_we_were_given(void)
{
    char files[16];
    int status, extra = open("/dev/null", O_RDONLY);
    pid_t runner = fork();
    if (runner == 0) {
        sigset_t mask;
        sigemptyset(&mask);
        sigaddset(&mask, SIGUSR1);
        sigprocmask(SIG_BLOCK, &mask, NULL);
        signal(SIGCHLD, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        snprintf(files, sizeof files, "%d", inherited_files());
        setenv("TEST_FILES", files, 1);
        struct seen seen = drain(start("inherits", 0));
        _exit(WIFEXITED(seen.status) ? WEXITSTATUS(seen.status) : 99);
    }
    CHECK(waitpid(runner, &status, 0) == runner && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    close(extra);
}

static void failing_exec_is_one_sentence(void)
{
    const char *argv[] = {"/nowhere/python", NULL};
    struct collect_launch launch = {.argv = argv, .agent_path = "libc.so.6"};
    struct collect *c;
    struct err e;
    CHECK(!collect_start(&c, &launch, &e));
    CHECK_STR(e.text, "cannot start '/nowhere/python': No such file or directory.");
}

static int count_folders(const char *prefix)
{
    int n = 0;
    DIR *all = opendir("/dev/shm");
    for (struct dirent *entry; all && (entry = readdir(all));)
        n += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    if (all)
        closedir(all);
    return n;
}

static void folders_of_dead_runs_are_removed(void)
{
    char stale[64], ours[64];
    pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    waitpid(dead, NULL, 0);
    snprintf(stale, sizeof stale, "/dev/shm/scalene-%d-AbCd12", dead);
    CHECK(mkdir(stale, 0700) == 0);
    snprintf(ours, sizeof ours, "scalene-%d-", getpid());
    drain(start("exit_7", 0));
    CHECK(access(stale, F_OK) != 0);
    CHECK(count_folders(ours) == 0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return perform(argv[1]);
    /* The address sanitizer insists on being loaded first; here the agent is. */
    const char *asan = getenv("ASAN_OPTIONS");
    char options[512];
    snprintf(options, sizeof options, "%s:verify_asan_link_order=0", asan ? asan : "");
    setenv("ASAN_OPTIONS", options, 1);
    RUN(killed_process_is_drained_to_the_end);
    RUN(exit_status_is_told);
    RUN(more_than_a_ring_full_comes_through);
    RUN(unfinished_record_ends_the_ring);
    RUN(nonsense_in_a_ring_is_not_followed);
    RUN(files_that_are_no_rings_are_refused);
    RUN(child_that_outlives_the_program_is_drained);
    RUN(daemon_is_not_waited_for);
    RUN(records_of_all_processes_come_in_the_order_of_time);
    RUN(exec_begins_a_new_process_number);
    RUN(signal_sent_to_us_reaches_the_program_once);
    RUN(signal_sent_to_the_group_reaches_the_program_once);
    RUN(stop_is_passed_on_and_continued);
    RUN(program_inherits_what_we_were_given);
    RUN(failing_exec_is_one_sentence);
    RUN(folders_of_dead_runs_are_removed);
    return 0;
}
