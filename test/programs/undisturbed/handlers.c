/* SPDX-License-Identifier: Apache-2.0 */
/* What a handler in C finds when it runs and after it has left, by return or by longjmp. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BY_RETURN, BY_LONGJMP, BY_LONGJMP_AFTER_FAULT };

struct seen {
    uint64_t n_calls, mask_inside, is_on_other_stack, mask_after, flags_kept, mask_kept, is_kept;
};

static struct seen seen;
static jmp_buf escape;
static int way;
static unsigned char other_stack[1 << 17];

static uint64_t first_word(const sigset_t *set)
{
    uint64_t word;
    memcpy(&word, set, sizeof word);
    return word;
}

static uint64_t mask_now(void)
{
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    return first_word(&now);
}

static void handle(int number)
{
    stack_t stack;
    (void)number;
    seen.n_calls++;
    seen.mask_inside = mask_now();
    sigaltstack(NULL, &stack);
    seen.is_on_other_stack = (stack.ss_flags & SS_ONSTACK) != 0;
    if (way != BY_RETURN)
        _longjmp(escape, 1);
}

static void handle_with_info(int number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    handle(number);
}

static void provoke(int number)
{
    char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (_setjmp(escape) == 0) {
        if (way == BY_LONGJMP_AFTER_FAULT)
            *(volatile char *)page = 1;
        else
            syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    }
    munmap(page, 4096);
}

static void install(int number, int flags, uint64_t mask)
{
    struct sigaction action = {.sa_flags = flags};
    memcpy(&action.sa_mask, &mask, sizeof mask);
    if (flags & SA_SIGINFO)
        action.sa_sigaction = handle_with_info;
    else
        action.sa_handler = handle;
    sigaction(number, &action, NULL);
}

void handlers_try(int number, int flags, uint64_t mask, int leaves, struct seen *out);
void handlers_try(int number, int flags, uint64_t mask, int leaves, struct seen *out)
{
    struct sigaction kept;
    stack_t ours = {.ss_sp = other_stack, .ss_size = sizeof other_stack}, before;
    sigset_t none;
    memset(&seen, 0, sizeof seen);
    way = leaves;
    sigaltstack(&ours, &before);
    install(number, flags, mask);
    provoke(number);
    seen.mask_after = mask_now();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    sigaction(number, NULL, &kept);
    seen.flags_kept = (unsigned)kept.sa_flags;
    seen.mask_kept = first_word(&kept.sa_mask);
    seen.is_kept = kept.sa_handler == (void (*)(int))handle_with_info || kept.sa_handler == handle;
    signal(number, SIG_DFL);
    sigaltstack(&before, NULL);
    *out = seen;
}

/* ---- whether a call is cut short ---- */

struct sender {
    int number, pipe;
    pid_t tid;
};

static int is_asleep(pid_t tid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *file = fopen(path, "r");
    int n = file ? fscanf(file, "%*d %*s %c", &state) : 0;
    if (file)
        fclose(file);
    return n == 1 && state == 'S';
}

static void *send_and_write(void *argument)
{
    struct sender *sender = argument;
    for (int n = 0; n < 3; usleep(1000))
        n = is_asleep(sender->tid) ? n + 1 : 0;
    syscall(SYS_tgkill, getpid(), sender->tid, sender->number);
    while (!*(volatile uint64_t *)&seen.n_calls)
        usleep(1000);
    if (write(sender->pipe, "x", 1) != 1)
        perror("write");
    return NULL;
}

int handlers_cut_short(int number, int flags);

/* The error of a read during which the signal comes; 0: it went on. */
int handlers_cut_short(int number, int flags)
{
    int ends[2], error;
    char c;
    pthread_t thread;
    memset(&seen, 0, sizeof seen);
    way = BY_RETURN;
    install(number, flags, 0);
    if (pipe(ends) != 0)
        return -1;
    struct sender sender = {number, ends[1], (pid_t)syscall(SYS_gettid)};
    pthread_create(&thread, NULL, send_and_write, &sender);
    error = read(ends[0], &c, 1) == 1 ? 0 : errno;
    pthread_join(thread, NULL);
    close(ends[0]);
    close(ends[1]);
    signal(number, SIG_DFL);
    return error;
}
