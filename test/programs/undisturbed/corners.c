/* SPDX-License-Identifier: Apache-2.0 */
/* Corners of a program that are nasty to a profiler: each does some work there, for the ticks to
 * come, and says how it went. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define WORK 100000000u /* turns: some ticks of the kernel's */

static uint64_t work(void)
{
    uint64_t x = 88172645463325252u;
    for (unsigned i = 0; i < WORK; i++) {
        x ^= x << 13;
        x ^= x >> 7;
    }
    return x;
}

static int status_of(pid_t pid)
{
    int status = -1;
    return waitpid(pid, &status, __WALL) == pid ? status : -1;
}

/* ---- what a process may do ---- */

int renounced(void);
/* A child that may only read, write and end works on. */
int renounced(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
        syscall(SYS_exit, work() ? 7 : 8);
    }
    return status_of(pid);
}

int filtered(void);
/* A child that lets itself be killed for whatever it does not need works on. */
int filtered(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
        _exit(work() ? 7 : 8);
    }
    return status_of(pid);
}

int limited(void);
/* A child that may write no large file, and would be told by a signal, works on. */
int limited(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGXFSZ, SIG_DFL);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000});
        _exit(work() ? 7 : 8);
    }
    return status_of(pid);
}

int without_signals_to_queue(void);
/* Nor may one that may not have a timer. */
int without_signals_to_queue(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){0, 0});
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0});
        pid_t child = fork();
        if (child == 0)
            _exit(work() ? 7 : 8);
        _exit(WEXITSTATUS(status_of(child)));
    }
    return status_of(pid);
}

/* ---- stacks ---- */

static void *work_in_thread(void *result)
{
    *(uint64_t *)result = work();
    return NULL;
}

uint64_t on_smallest_stack(void);
uint64_t on_smallest_stack(void)
{
    static uint64_t result;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
    if (pthread_create(&thread, &attributes, work_in_thread, &result) != 0)
        return 0;
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    return result;
}

static ucontext_t outside, inside;
static uint64_t switched;

static void work_in_context(void)
{
    switched = work();
    swapcontext(&inside, &outside);
}

uint64_t on_switched_stack(void);
/* As coroutines do. */
uint64_t on_switched_stack(void)
{
    static unsigned char stack[32768];
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, work_in_context, 0);
    swapcontext(&outside, &inside);
    return switched;
}

enum { BELOW = 16384, TINY = 2048, OTHER_MAX = 65536, PATTERN = 0x5a };
static unsigned char tiny_memory[BELOW + TINY], other_memory[BELOW + OTHER_MAX];

/* As Go's threads do: what they run has little stack, and signals have another one. */
static void *work_on_tiny_stack(void *other_bytes)
{
    stack_t other = {.ss_sp = other_memory + BELOW, .ss_size = *(size_t *)other_bytes};
    stack_t none = {.ss_flags = SS_DISABLE};
    ucontext_t before, tiny;
    sigaltstack(&other, NULL);
    getcontext(&tiny);
    tiny.uc_stack.ss_sp = tiny_memory + BELOW;
    tiny.uc_stack.ss_size = TINY;
    tiny.uc_link = &before;
    makecontext(&tiny, (void (*)(void))work, 0);
    swapcontext(&before, &tiny);
    sigaltstack(&none, NULL);
    return NULL;
}

int written_below_stacks(size_t more_bytes);
/* The other stack has so much more than the least that the kernel allows. */
int written_below_stacks(size_t more_bytes)
{
    pthread_t thread;
    int n = 0;
    size_t other_bytes = (size_t)sysconf(_SC_MINSIGSTKSZ) + more_bytes;
    memset(tiny_memory, PATTERN, sizeof tiny_memory);
    memset(other_memory, PATTERN, sizeof other_memory);
    if (pthread_create(&thread, NULL, work_on_tiny_stack, &other_bytes) != 0)
        return -1;
    pthread_join(thread, NULL);
    for (int i = 0; i < BELOW; i++)
        n += (tiny_memory[i] != PATTERN) + (other_memory[i] != PATTERN);
    return n;
}

/* ---- processes that share their memory ---- */

static int work_as_child(void *unused)
{
    (void)unused;
    syscall(SYS_exit, work() ? 7 : 8);
    return 0;
}

int sharing_memory(int flags);
int sharing_memory(int flags)
{
    static unsigned char stack[65536] __attribute__((aligned(16)));
    return status_of(clone(work_as_child, stack + sizeof stack, CLONE_VM | flags | SIGCHLD, NULL));
}

/* ---- code that no file has ---- */

uint64_t generated(uint64_t n);
/* Counts down, with a frame pointer that points nowhere. */
uint64_t generated(uint64_t n)
{
    static const unsigned char code[] = {
        0x55,                               /* push %rbp */
        0x48, 0xc7, 0xc5, 0x10, 0, 0, 0x40, /* mov $0x40000010, %rbp */
        0x31, 0xc0,                         /* xor %eax, %eax */
        0x48, 0xff, 0xc0,                   /* inc %rax */
        0x48, 0xff, 0xcf,                   /* dec %rdi */
        0x75, 0xf8,                         /* jnz back to inc */
        0x5d, 0xc3,                         /* pop %rbp, ret */
    };
    void *at =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(at, code, sizeof code);
    uint64_t (*function)(uint64_t) = (uint64_t(*)(uint64_t))(uintptr_t)at;
    uint64_t result = function(n);
    munmap(at, 4096);
    return result;
}

/* ---- handlers in handlers ---- */

static volatile sig_atomic_t depth, deepest;

static void handle(int number)
{
    (void)number;
    deepest = ++depth > deepest ? depth : deepest;
    if (depth < 4)
        raise(SIGUSR1);
    for (volatile unsigned i = 0; i < WORK / 20; i++)
        ;
    depth--;
}

int nested(void);
int nested(void)
{
    static unsigned char stack[65536];
    stack_t ours = {.ss_sp = stack, .ss_size = sizeof stack}, before;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK | SA_NODEFER}, old;
    deepest = 0;
    sigaltstack(&ours, &before);
    sigaction(SIGUSR1, &action, &old);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &old, NULL);
    sigaltstack(&before, NULL);
    return deepest;
}
