/* SPDX-License-Identifier: Apache-2.0 */
/* Work on stacks that are as small as programs make them, and whether anybody ran over their end.
 */
#include <signal.h>
#include <string.h>
#include <time.h>

#define ALTERNATE_BYTES 16384
#define GUARD_BYTES     1024
#define PATTERN         0x5a

static unsigned char stack[ALTERNATE_BYTES];
static double work_s;

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void work(int number)
{
    (void)number;
    double end_s = cpu_s() + work_s;
    while (cpu_s() < end_s)
        ;
}

/* A signal handler works on a stack of 16 KiB while ticks come: 0 if the last KiB was never
 * touched. */
int alternate_stack(double seconds)
{
    stack_t ours = {.ss_sp = stack, .ss_size = sizeof stack}, before;
    struct sigaction action = {.sa_handler = work, .sa_flags = SA_ONSTACK}, old;
    int n_touched = 0;
    work_s = seconds;
    memset(stack, PATTERN, sizeof stack);
    if (sigaltstack(&ours, &before) != 0 || sigaction(SIGUSR1, &action, &old) != 0)
        return -1;
    raise(SIGUSR1);
    sigaction(SIGUSR1, &old, NULL);
    sigaltstack(&before, NULL);
    for (int i = 0; i < GUARD_BYTES; i++)
        n_touched += stack[i] != PATTERN;
    return n_touched;
}
