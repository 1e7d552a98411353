/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/ranges.h"

#include "../check.h"

#include <pthread.h>

static bool add(uint64_t low, uint64_t high)
{
    return ranges_add(&(struct range){.low = low, .high = high});
}

static void only_what_overlaps_is_taken(void)
{
    struct range range;
    CHECK(add(0x10000, 0x20000) && add(0x20000, 0x30000));
    CHECK(!ranges_take(0x30000, 0x40000, &range) && !ranges_take(0x0, 0x10000, &range));
    CHECK(ranges_take(0x2f000, 0x40000, &range) && range.low == 0x20000 && range.high == 0x30000);
    CHECK(!ranges_take(0x2f000, 0x40000, &range));
    CHECK(ranges_take(0x18000, 0x19000, &range) && range.low == 0x10000);
}

static void all_that_overlap_are_taken_one_by_one(void)
{
    struct range range;
    unsigned n = 0;
    for (uint64_t i = 1; i <= 100; i++)
        CHECK(add(i << 16, (i << 16) + 0x8000));
    while (ranges_take(0x0, 50 << 16, &range))
        n++;
    CHECK(n == 49);
    while (ranges_take(0, UINT64_MAX, &range))
        n++;
    CHECK(n == 100);
}

static void a_full_list_says_so_and_has_room_again(void)
{
    struct range range;
    uint64_t n = 0;
    while (add((n + 1) << 16, (n + 2) << 16))
        n++;
    CHECK(n > 1000);
    CHECK(ranges_take(5 << 16, 6 << 16, &range) && add(range.low, range.high));
    CHECK(!add(n << 20, (n << 20) + 1));
    while (n--)
        CHECK(ranges_take(0, UINT64_MAX, &range));
    CHECK(!ranges_take(0, UINT64_MAX, &range));
}

static void *map_and_unmap(void *number)
{
    uint64_t base = (uint64_t)(uintptr_t)number << 32;
    struct range range;
    for (int round = 0; round < 200; round++) {
        for (uint64_t i = 0; i < 50; i++)
            CHECK(add(base + (i << 16), base + ((i + 1) << 16)));
        for (uint64_t i = 0; i < 50; i++)
            CHECK(ranges_take(base + (i << 16) + 4096, base + (i << 16) + 8192, &range) &&
                  range.low == base + (i << 16));
    }
    return NULL;
}

static void threads_do_not_take_each_others(void)
{
    pthread_t threads[4];
    struct range range;
    for (uintptr_t i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, map_and_unmap, (void *)(i + 1)) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK(!ranges_take(0, UINT64_MAX, &range));
}

int main(void)
{
    RUN(only_what_overlaps_is_taken);
    RUN(all_that_overlap_are_taken_one_by_one);
    RUN(a_full_list_says_so_and_has_room_again);
    RUN(threads_do_not_take_each_others);
    return 0;
}
