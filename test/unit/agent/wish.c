/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/wish.h"

#include "../check.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>

/* A wish of which every part says the same number. */
static struct sigaction numbered(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_flags = number;
    memset(&action.sa_mask, number & 0x7f, sizeof action.sa_mask);
    action.sa_handler = (void (*)(int))(uintptr_t)number;
    return action;
}

static bool is_whole(const struct sigaction *action)
{
    struct sigaction same = numbered(action->sa_flags);
    return action->sa_handler == same.sa_handler &&
           memcmp(&action->sa_mask, &same.sa_mask, sizeof same.sa_mask) == 0;
}

static void the_last_one_written_is_read(void)
{
    static struct wish wish;
    CHECK(wish_read(&wish).sa_handler == SIG_DFL);
    for (int i = 1; i < 100; i++) {
        struct sigaction action = numbered(i);
        wish_write(&wish, &action);
        struct sigaction now = wish_read(&wish);
        CHECK(now.sa_flags == i && is_whole(&now));
    }
}

static void writers_that_are_gone_keep_nobody_waiting(void)
{
    static struct wish wish;
    struct sigaction action = numbered(7);
    wish_write(&wish, &action);
    for (unsigned n_gone = 1; n_gone < 2 * WISH_VERSIONS; n_gone++) {
        atomic_fetch_add(&wish.n_begun, 1); /* a fork came when it had begun */
        CHECK(wish_read(&wish).sa_flags == 7);
    }
    action = numbered(8);
    wish_write(&wish, &action);
    CHECK(wish_read(&wish).sa_flags == 8);
}

static struct wish interrupted;
static volatile sig_atomic_t n_read, n_torn;

static void read_it(int number)
{
    (void)number;
    struct sigaction now = wish_read(&interrupted);
    n_torn += !is_whole(&now);
    n_read++;
}

static void a_handler_reads_while_its_own_thread_writes(void)
{
    struct itimerval often = {.it_interval = {.tv_usec = 50}, .it_value = {.tv_usec = 50}};
    struct sigaction handler = {.sa_handler = read_it};
    CHECK(sigaction(SIGALRM, &handler, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; n_read < 2000; i++) {
        struct sigaction action = numbered(i & 0xffff);
        wish_write(&interrupted, &action);
    }
    CHECK(setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL) == 0);
    CHECK(n_torn == 0);
}

static struct wish shared;
static _Atomic bool is_over;

static void *read_many(void *unused)
{
    (void)unused;
    while (!atomic_load(&is_over)) {
        struct sigaction now = wish_read(&shared);
        CHECK(is_whole(&now));
    }
    return NULL;
}

static void other_threads_read_whole_wishes(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, read_many, NULL) == 0);
    for (int i = 0; i < 300000; i++) {
        struct sigaction action = numbered(i & 0xffff);
        wish_write(&shared, &action);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    RUN(the_last_one_written_is_read);
    RUN(writers_that_are_gone_keep_nobody_waiting);
    RUN(a_handler_reads_while_its_own_thread_writes);
    RUN(other_threads_read_whole_wishes);
    return 0;
}
