/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/late.h"

#include "agent/agent.h"

#include "../check.h"

#include <pthread.h>

struct agent agent = {.pid = 7};

static uint64_t written[4 * LATE_MAX];
static unsigned n_written, room;

static bool write_one(const struct late_free *free)
{
    if (n_written == room)
        return false;
    CHECK(free->time_ns == 2 * free->address && free->stack == 3 && free->flags == 1);
    written[n_written++] = free->address;
    return true;
}

static bool add(uint64_t address)
{
    struct late_free free = {address, 2 * address, 3, 1};
    return late_add(&free);
}

static void begin(unsigned n)
{
    n_written = 0;
    room = n;
}

static void what_waits_is_written_in_its_order_as_far_as_there_is_room(void)
{
    begin(2);
    CHECK(late_write(write_one) && n_written == 0);
    CHECK(add(11) && add(22) && add(33));
    CHECK(!late_write(write_one) && n_written == 2);
    CHECK(!late_write(write_one) && n_written == 2);
    room = 9;
    CHECK(late_write(write_one) && n_written == 3);
    CHECK(written[0] == 11 && written[1] == 22 && written[2] == 33);
}

static void a_full_queue_says_so_and_has_room_again(void)
{
    begin(LATE_MAX);
    for (uint64_t i = 1; i <= LATE_MAX; i++)
        CHECK(add(i));
    CHECK(!add(99));
    CHECK(late_write(write_one) && n_written == LATE_MAX);
    CHECK(add(99) && !late_write(write_one));
    room++;
    CHECK(late_write(write_one));
}

static bool write_and_write_again(const struct late_free *free)
{
    (void)free;
    CHECK(!late_write(write_one)); /* a signal handler, amid another's turn */
    CHECK(add(55));
    return false;
}

static void who_comes_amid_anothers_turn_leaves_it_alone(void)
{
    begin(9);
    CHECK(add(44));
    CHECK(!late_write(write_and_write_again) && n_written == 0);
    CHECK(late_write(write_one) && n_written == 2 && written[1] == 55);
}

static bool write_as_a_parent_that_forks(const struct late_free *free)
{
    (void)free;
    agent.pid++;
    CHECK(late_write(write_one) && n_written == 1);
    return false;
}

static void a_parent_amid_its_turn_does_not_keep_its_child_from_it(void)
{
    begin(9);
    CHECK(add(66));
    late_write(write_as_a_parent_that_forks);
}

#define N_EACH 50000

static _Atomic bool is_over;
static uint64_t n_taken, sum_taken;

static bool take(const struct late_free *free)
{
    n_taken++;
    sum_taken += free->address;
    return free->time_ns == 2 * free->address;
}

static void *add_many(void *first)
{
    for (uint64_t i = 0; i < N_EACH; i++)
        while (!add((uint64_t)(uintptr_t)first + i))
            late_write(take);
    return NULL;
}

static void *write_many(void *unused)
{
    while (!is_over)
        late_write(take);
    return unused;
}

static void many_threads_lose_and_double_nothing(void)
{
    pthread_t adders[3], writers[2];
    for (uintptr_t i = 0; i < 3; i++)
        pthread_create(&adders[i], NULL, add_many, (void *)(1 + i * N_EACH));
    for (int i = 0; i < 2; i++)
        pthread_create(&writers[i], NULL, write_many, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(adders[i], NULL);
    is_over = true;
    for (int i = 0; i < 2; i++)
        pthread_join(writers[i], NULL);
    CHECK(late_write(take));
    uint64_t n = 3 * N_EACH;
    CHECK(n_taken == n && sum_taken == n * (n + 1) / 2);
}

int main(void)
{
    RUN(what_waits_is_written_in_its_order_as_far_as_there_is_room);
    RUN(a_full_queue_says_so_and_has_room_again);
    RUN(who_comes_amid_anothers_turn_leaves_it_alone);
    RUN(a_parent_amid_its_turn_does_not_keep_its_child_from_it);
    RUN(many_threads_lose_and_double_nothing);
    return 0;
}
