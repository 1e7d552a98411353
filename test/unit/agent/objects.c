/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/objects.h"

#include "../check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOW UINT64_C(123456789012345)
#define US  1000u

static __thread uint16_t stamp;

/* Whatever the clock's low bits are, and when its stamps turn over. */
static void age_is_told_to_the_millisecond(void)
{
    for (uint64_t now_ns = NOW; now_ns < NOW + (UINT64_C(1) << 35); now_ns += 77777777) {
        CHECK(objects_add(0x7f0000001230, now_ns) && objects_remove(0x7f0000001230, &stamp));
        CHECK(objects_is_young(stamp, now_ns) && objects_is_young(stamp, now_ns + 500 * US));
        CHECK(!objects_is_young(stamp, now_ns + 1000 * US));
        CHECK(!objects_is_young(stamp, now_ns + 16000000 * UINT64_C(1000)));
    }
}

static void an_added_block_is_found_once(void)
{
    CHECK(!objects_may_have((void *)0x7f0000001230));
    CHECK(objects_add(0x7f0000001230, NOW));
    CHECK(objects_may_have((void *)0x7f0000001230));
    CHECK(!objects_remove(0x7f0000001240, &stamp)); /* a neighbour that shares the filter's count */
    CHECK(objects_remove(0x7f0000001230, &stamp));
    CHECK(!objects_remove(0x7f0000001230, &stamp));
    CHECK(!objects_may_have((void *)0x7f0000001230));
}

/* More blocks in a small region than a bucket holds: they overflow into others and are found. */
static void crowded_blocks_are_all_found(void)
{
    for (uint64_t i = 1; i <= 200000; i++)
        CHECK(objects_add(i * 16, NOW));
    for (uint64_t i = 1; i <= 200000; i++)
        CHECK(objects_remove(i * 16, &stamp));
    for (uint64_t i = 1; i <= 200000; i++)
        CHECK(!objects_remove(i * 16, &stamp));
}

static void *add_and_remove(void *number)
{
    uint64_t base = (uint64_t)(uintptr_t)number << 32;
    for (int round = 0; round < 20; round++) {
        for (uint64_t i = 1; i <= 2000; i++)
            CHECK(objects_add(base + i * 16, NOW));
        for (uint64_t i = 1; i <= 2000; i++)
            CHECK(objects_remove(base + i * 16, &stamp));
    }
    return NULL;
}

static void threads_do_not_lose_each_others_blocks(void)
{
    pthread_t threads[8];
    for (uintptr_t i = 0; i < 8; i++)
        CHECK(pthread_create(&threads[i], NULL, add_and_remove, (void *)(i + 1)) == 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

static void a_pinned_block_may_always_be_there(void)
{
    void *block = (void *)0x7f1234560000;
    objects_pin(block);
    CHECK(objects_may_have(block));
    CHECK(objects_add((uint64_t)(uintptr_t)block, NOW) &&
          objects_remove((uint64_t)(uintptr_t)block, &stamp));
    CHECK(objects_may_have(block) && !objects_remove((uint64_t)(uintptr_t)block, &stamp));
}

/* Half of the room may be used freely; then samples must become rarer, more and more so. */
static void a_table_that_fills_up_asks_for_fewer(void)
{
    uint32_t factor = 1, n = 0;
    CHECK(objects_crowd() == 1);
    while (objects_add(((uint64_t)++n << 4) * 977, NOW)) {
        CHECK(objects_crowd() >= factor);
        factor = objects_crowd();
        CHECK(n >= 262144 || factor == 1);
    }
    CHECK(n > 400000 && factor >= 16);
    while (--n)
        CHECK(objects_remove(((uint64_t)n << 4) * 977, &stamp));
    CHECK(objects_crowd() == 1);
}

/* What a pin stands for is a block of ours, which the child must know as its parent does. */
static void a_forked_child_finds_no_blocks_but_every_pin(void)
{
    void *block = (void *)0x7f2222222230, *pinned = (void *)0x7f1234560000;
    CHECK(objects_add((uint64_t)(uintptr_t)block, NOW));
    for (uint64_t i = 1; i <= 300000; i++)
        CHECK(objects_add(i * 16, NOW));
    CHECK(objects_crowd() > 1);
    objects_wipe_on_fork();
    pid_t child = fork();
    if (child == 0) {
        bool is_clean = !objects_may_have(block) &&
                        !objects_remove((uint64_t)(uintptr_t)block, &stamp) &&
                        objects_crowd() == 1 && objects_may_have(pinned);
        _exit(is_clean ? 0 : 1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(objects_remove((uint64_t)(uintptr_t)block, &stamp) && objects_crowd() > 1);
}

int main(void)
{
    RUN(an_added_block_is_found_once);
    RUN(age_is_told_to_the_millisecond);
    RUN(crowded_blocks_are_all_found);
    RUN(threads_do_not_lose_each_others_blocks);
    RUN(a_pinned_block_may_always_be_there);
    RUN(a_table_that_fills_up_asks_for_fewer);
    RUN(a_forked_child_finds_no_blocks_but_every_pin);
    return 0;
}
