/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/namespace.h"

#include "../check.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void numbers_at_home_are_the_same(void)
{
    uint32_t pid = (uint32_t)getpid();
    uint64_t home = namespace_of(getpid());
    CHECK(home && !namespace_is_foreign(getpid()));
    CHECK(namespace_process(home, pid) == getpid());
    CHECK(namespace_process(home + 1, pid) == 0);
    CHECK(namespace_thread(getpid(), pid, pid) == pid);
    CHECK(namespace_thread(getpid(), 1, pid) == 0);
}

static void *find_me(void *unused)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    CHECK(namespace_thread(getpid(), tid, (uint32_t)getpid()) == tid); /* a wrong guess */
    return unused;
}

static void a_thread_is_found_among_others(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, find_me, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

int main(void)
{
    RUN(numbers_at_home_are_the_same);
    RUN(a_thread_is_found_among_others);
    return 0;
}
