/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the ring of this process and writes the records every ring begins with.
 *
 * A forked child gets no ring until its first sample: most children exec at once, and must not pay
 * for what they do not need. So this runs in the signal handler, by plain system calls. */
#include "agent/process.h"

#include "agent/agent.h"
#include "agent/clock.h"
#include "agent/control.h"
#include "agent/countdown.h"
#include "agent/emit.h"
#include "agent/file.h"
#include "agent/modules.h"
#include "agent/peek.h"
#include "agent/scratch.h"
#include "agent/threads.h"
#include "agent/waits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/safe.h"

#define RING_BYTES_MIN (256u * 1024u)
#define PATH_ROOM      1200
#define ANY_USER       ((uid_t)-1)

enum { RING_NONE, RING_MAKING, RING_READY, RING_REFUSED };

struct process_facts process_facts;
struct agent agent = {.cookie = PERF_COOKIE, .generation = 1, .waits = &waits_own_wish};
static _Atomic int ring_state;

static char *append_text(char *to, const char *end, const char *text)
{
    while (*text && to < end)
        *to++ = *text++;
    return to;
}

static char *append_number(char *to, const char *end, uint64_t number)
{
    char digits[24];
    unsigned n = sizeof digits;
    digits[--n] = 0;
    do {
        digits[--n] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return append_text(to, end, digits + n);
}

/* "<folder>", and the folder of a user in it. */
static char *append_folder(char *to, const char *end, uid_t user)
{
    to = append_text(to, end, process_facts.folder);
    if (user == ANY_USER)
        return to;
    to = append_text(to, end, "/");
    return append_number(to, end, user);
}

/* The number by which the collector knows this process. In a namespace of its own it has another
 * one; /proc, where it is still that of outside, tells. */
static uint32_t pid_outside(void)
{
    char text[24];
    uint32_t pid = 0;
    long n = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self", text, sizeof text);
    for (long i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
        pid = pid * 10 + (uint32_t)(text[i] - '0');
    return pid ? pid : agent.pid;
}

static uint64_t pid_namespace(void)
{
    struct stat status;
    return syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &status, 0) == 0 ? status.st_ino
                                                                                   : 0;
}

static int open_file_of(uid_t user, uint64_t now_ns)
{
    char path[PATH_ROOM], *to = path;
    const char *end = path + sizeof path - 1;
    to = append_folder(to, end, user);
    to = append_text(to, end, "/" RING_FILE_PREFIX);
    to = append_number(to, end, agent.pid);
    to = append_text(to, end, "-");
    to = append_number(to, end, now_ns);
    *to = 0;
    return file_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static int open_file(uint64_t now_ns)
{
    int fd = open_file_of(ANY_USER, now_ns);
    return fd < 0 && errno == EACCES ? open_file_of(geteuid(), now_ns) : fd;
}

/* By system calls, for there may be little stack and a lock held. The folder itself lets that user
 * pass, and nothing more. */
void process_admit_user(uid_t user)
{
    char path[PATH_ROOM];
    int saved = errno;
    if (user == ANY_USER || !process_facts.folder || user == geteuid())
        return;
    *append_folder(path, path + sizeof path - 1, user) = 0;
    if (syscall(SYS_mkdirat, AT_FDCWD, path, 0700) == 0 &&
        syscall(SYS_fchownat, AT_FDCWD, path, user, -1, AT_SYMLINK_NOFOLLOW) == 0)
        syscall(SYS_fchmodat, AT_FDCWD, process_facts.folder, 0711);
    errno = saved;
}

/* A file that grows beyond the limit the program has set for its files would cost it a signal. */
static bool may_grow(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= bytes;
}

/* Pages for the beginning only: whoever forks often would pay for the rest each time. */
static bool map_growing(int fd, struct ring *ring, uint32_t bytes)
{
    if (bytes <= RING_BYTES_MIN || !may_grow(ring_file_bytes(bytes)) ||
        ftruncate(fd, (off_t)ring_file_bytes(bytes)) != 0 ||
        fallocate(fd, 0, 0, (off_t)ring_file_bytes(RING_BYTES_MIN)) != 0 ||
        !ring_map(ring, fd, bytes))
        return false;
    if (ring_starts_with(ring, RING_BYTES_MIN))
        return true;
    ring_unmap(ring);
    return false;
}

/* On kernels that cannot get pages later without a risk they are had now or never. Where room is
 * scarce a smaller ring must do. */
static bool map_whole(int fd, struct ring *ring)
{
    for (uint32_t bytes = agent.control->ring_bytes; bytes >= RING_BYTES_MIN; bytes /= 2)
        if (may_grow(ring_file_bytes(bytes)) && ftruncate(fd, 0) == 0 &&
            fallocate(fd, 0, 0, (off_t)ring_file_bytes(bytes)) == 0)
            return ring_map(ring, fd, bytes);
    return false;
}

static bool make_ring(int fd, struct ring *ring)
{
    if (!map_growing(fd, ring, agent.control->ring_bytes) && !map_whole(fd, ring))
        return false;
    ring->header->version = WIRE_VERSION;
    ring->header->data_bytes = (uint32_t)(ring->mask + 1);
    ring->header->pid = pid_outside();
    ring->header->own_pid = agent.pid;
    ring->header->pid_namespace = pid_namespace();
    return true;
}

static struct record_string bytes_of(size_t n)
{
    return (struct record_string){.n_chars = (uint32_t)n, .width = 1};
}

static void send_process(uint64_t now_ns)
{
    const struct process_facts *f = &process_facts;
    struct record_process record = {
        .time_ns = now_ns,
        .realtime_ns = clock_read_ns(CLOCK_REALTIME),
        .pid = agent.ring.header->pid,
        .parent_pid = (uint32_t)getppid(),
        .n_cpus = f->n_cpus,
        .period_ns = agent.control->period_ns,
        .cookie_at = (uint64_t)(uintptr_t)&agent.cookie,
        .cwd = bytes_of(strlen(f->cwd)),
        .executable = bytes_of(strlen(f->executable)),
        .arguments = bytes_of(f->n_arguments_bytes),
    };
    const void *texts[] = {f->cwd, f->executable, f->arguments};
    bool is_off = atomic_load_explicit(&agent.is_off, memory_order_relaxed);
    emit_record(RECORD_PROCESS, is_off ? PROCESS_IS_OFF : 0, &record, sizeof record, &record.cwd,
                texts, 3);
}

static void send_interpreter(void)
{
    const struct process_facts *f = &process_facts;
    const void *texts[] = {f->version, f->base_prefix, f->prefix};
    emit_record(RECORD_INTERPRETER, 0, &f->interpreter, sizeof f->interpreter,
                &f->interpreter.version, texts, 3);
}

static bool open_ring(void)
{
    struct ring ring = {0};
    uint64_t now_ns = clock_now_ns();
    int fd = open_file(now_ns);
    if (fd < 0)
        return false;
    bool is_made = make_ring(fd, &ring);
    close(fd);
    if (!is_made)
        return false;
    agent.ring = ring;
    waits_ring_opens(ring.header);
    send_process(now_ns);
    send_interpreter();
    modules_send();
    threads_send();
    /* Pairs with the collector's acquire load: the header and first records are whole. */
    atomic_store_explicit(&ring.header->magic, RING_MAGIC, memory_order_release);
    atomic_fetch_add_explicit(&agent.control->rings, 1, memory_order_release);
    return true;
}

bool process_ring_ready(void)
{
    int state = atomic_load_explicit(&ring_state, memory_order_acquire);
    if (state != RING_NONE)
        return state == RING_READY;
    /* A tick that came between the load and here has made it. */
    if (!atomic_compare_exchange_strong_explicit(&ring_state, &state, RING_MAKING,
                                                 memory_order_acquire, memory_order_acquire))
        return state == RING_READY;
    /* The headers of modules are looked at, in a thread that may have blocked everything. */
    uint64_t faults = peek_let_faults_in();
    bool is_open = open_ring();
    peek_keep_faults_out(faults);
    if (!is_open)
        atomic_store_explicit(&agent.control->refusal, REFUSAL_NO_RING, memory_order_relaxed);
    atomic_store_explicit(&ring_state, is_open ? RING_READY : RING_REFUSED, memory_order_release);
    return is_open;
}

void process_begin_anew(void)
{
    waits_ring_closes();
    ring_unmap(&agent.ring);
    agent.generation++;
    atomic_store_explicit(&ring_state, RING_NONE, memory_order_relaxed);
}

void process_after_fork(void)
{
    waits_ring_closes();
    atomic_store_explicit(&agent.n_inside, 0, memory_order_relaxed);
    ring_unmap(&agent.ring);
    agent.pid = (uint32_t)getpid();
    agent.generation++;
    atomic_store_explicit(&ring_state, RING_NONE, memory_order_relaxed);
    if (!atomic_load_explicit(&agent.is_on, memory_order_relaxed))
        return;
    modules_after_fork();
    scratch_after_fork();
    control_after_fork();
    countdown_after_fork();
    threads_after_fork();
}
