/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks by address: found until they are taken out, whatever came and went beside them. */
#include "analyze/heap.h"

#include "../check.h"

#define N 20000u

static uint64_t address_of(unsigned i)
{
    return 0x7f0000000000 + (uint64_t)i * 16;
}

static struct block block_of(unsigned i)
{
    return (struct block){.address = address_of(i), .bytes = i};
}

static void blocks_are_found_until_they_go(void)
{
    struct heap heap = {0};
    struct block block;
    static bool is_there[N];
    unsigned n = 0, random = 1;
    for (unsigned step = 0; step < 10 * N; step++) {
        random = random * 1103515245u + 12345u;
        unsigned i = (random >> 8) % N;
        struct block new = block_of(i);
        if (is_there[i]) {
            CHECK(heap_remove(&heap, address_of(i), &block) && block.bytes == i);
        } else {
            CHECK(!heap_remove(&heap, address_of(i), &block));
            CHECK(!heap_add(&heap, &new, &block));
        }
        is_there[i] = !is_there[i];
        n += is_there[i] ? 1 : -1u;
        CHECK(heap.n == n);
    }
    for (unsigned i = 0; i < N; i++)
        CHECK(heap_remove(&heap, address_of(i), &block) == is_there[i]);
    CHECK(heap.n == 0);
    heap_fini(&heap);
}

static void a_block_whose_end_was_lost_gives_way(void)
{
    struct heap heap = {0};
    struct block old, first = {.address = 64, .bytes = 1}, second = {.address = 64, .bytes = 2};
    CHECK(!heap_add(&heap, &first, &old));
    CHECK(heap_add(&heap, &second, &old) && old.bytes == 1 && heap.n == 1);
    heap_fini(&heap);
}

static void a_block_just_gone_can_be_restored_once(void)
{
    struct heap heap = {0};
    struct block block = block_of(3), old;
    heap_add(&heap, &block, &old);
    CHECK(!heap_restore(&heap, address_of(3), &block));
    CHECK(heap_remove(&heap, address_of(3), &block));
    CHECK(heap_restore(&heap, address_of(3), &block) && block.bytes == 3);
    CHECK(!heap_restore(&heap, address_of(3), &block));
    heap_fini(&heap);
}

static void ages_are_counted_from_an_age_on(void)
{
    struct heap heap = {0};
    for (uint64_t i = 0; i < 1000; i++)
        heap_aged(&heap, 2, i * 100000000, 1); /* up to 100 s */
    CHECK_NEAR(heap_older(&heap, 2, 0), 1000, 1e-9);
    CHECK_NEAR(heap_older(&heap, 2, 50000000000), 500, 6);
    CHECK(heap_older(&heap, 2, 1000000000000) == 0);
    CHECK(heap_older(&heap, 1, 0) == 0 && heap_older(&heap, 9, 0) == 0);
    heap_fini(&heap);
}

/* A run of days has more stacks than are kept; those of long ago are no others' now. */
static void the_latest_stacks_are_known(void)
{
    struct heap heap = {0};
    for (uint32_t id = 1; id <= 5; id++)
        heap_add_stack(&heap, &(struct heap_stack){.frame = id, .id = id});
    heap_add_stack(&heap, &(struct heap_stack){.frame = 77, .id = HEAP_STACKS + 3});
    CHECK(heap_stack_of(&heap, 2).frame == 2 && heap_stack_of(&heap, HEAP_STACKS + 3).frame == 77);
    CHECK(heap_stack_of(&heap, 3).frame == 0 && heap_stack_of(&heap, 0).frame == 0);
    CHECK(heap_stack_of(&heap, UINT32_MAX).frame == 0);
    heap_fini(&heap);
}

int main(void)
{
    RUN(the_latest_stacks_are_known);
    RUN(blocks_are_found_until_they_go);
    RUN(a_block_whose_end_was_lost_gives_way);
    RUN(a_block_just_gone_can_be_restored_once);
    RUN(ages_are_counted_from_an_age_on);
    return 0;
}
