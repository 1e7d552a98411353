/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/proc.h"

#include "../check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t tid;
static int gate[2];

static void *wait_at_the_gate(void *unused)
{
    char byte;
    tid = (uint32_t)syscall(SYS_gettid);
    CHECK(read(gate[0], &byte, 1) == 1);
    return unused;
}

static void a_thread_that_waits_is_seen_to_and_one_that_ended_is_not_one_that_hides(void)
{
    pthread_t thread;
    struct proc_thread proc;
    struct proc_times times;
    struct proc_block block = {.is_running = true};
    CHECK(pipe(gate) == 0 && pthread_create(&thread, NULL, wait_at_the_gate, NULL) == 0);
    while (!tid)
        usleep(1000);
    proc_open(&proc, getpid(), tid);
    for (int i = 0; i < 10000 && block.is_running; i++, usleep(1000))
        CHECK(proc_block(&proc, &block));
    CHECK(!block.is_running && block.kind == WAIT_IO && proc_times(&proc, &times));
    CHECK(write(gate[1], "x", 1) == 1 && pthread_join(thread, NULL) == 0);
    while (proc_times(&proc, &times)) /* its end is told before it is over */
        usleep(1000);
    CHECK(proc_block(&proc, &block) && block.is_running);
    proc_close(&proc);
}

static void a_thread_that_may_not_be_asked_hides(void)
{
    struct proc_thread proc;
    struct proc_block block;
    proc_open(&proc, getpid(), (uint32_t)getpid());
    close(proc.syscall);
    proc.syscall = -1;
    CHECK(!proc_block(&proc, &block));
    proc_close(&proc);
}

int main(void)
{
    RUN(a_thread_that_waits_is_seen_to_and_one_that_ended_is_not_one_that_hides);
    RUN(a_thread_that_may_not_be_asked_hides);
    return 0;
}
