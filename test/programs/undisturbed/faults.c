/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a handler of its own for SIGSEGV that lives through faults, as some runtimes do.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

static _Thread_local sigjmp_buf escape;
static _Thread_local volatile bool is_expected;
static volatile sig_atomic_t n_strange; /* faults that are none of this library's */

static void handle(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    if (is_expected)
        siglongjmp(escape, 1);
    n_strange++;
    signal(SIGSEGV, SIG_DFL);
}

static void fault(volatile char *page)
{
    if (sigsetjmp(escape, 1) == 0) {
        is_expected = true;
        *page = 1;
    }
    is_expected = false;
}

int faults_run(int n);

/* How many of n faults came to the handler; minus one if the kernel names another one. */
__attribute__((visibility("default"))) int faults_run(int n)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO}, now;
    action.sa_sigaction = handle;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGSEGV, NULL, &now);
    char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || now.sa_sigaction != handle || (now.sa_flags & SA_SIGINFO) == 0)
        return -1;
    for (int i = 0; i < n; i++)
        fault(page);
    munmap(page, 4096);
    return n - n_strange;
}
