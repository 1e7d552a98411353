/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/remote.h"

#include "../check.h"

#include <sys/mman.h>
#include <unistd.h>

/* This process stands in for another one. */
static void reads_across_pages_and_stops_where_nothing_is(void)
{
    unsigned char *pages =
        mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    for (size_t i = 0; i < 2 * 4096; i++)
        pages[i] = (unsigned char)(i * 7);
    CHECK(munmap(pages + 2 * 4096, 4096) == 0);
    struct remote remote;
    remote_init(&remote, getpid());
    unsigned char copy[5000];
    CHECK(remote_read(&remote, (uint64_t)(uintptr_t)pages + 100, copy, sizeof copy));
    CHECK(memcmp(copy, pages + 100, sizeof copy) == 0);
    CHECK(!remote_read(&remote, (uint64_t)(uintptr_t)pages + 2 * 4096 - 8, copy, 16));
    CHECK(!remote_read(&remote, 16, copy, 8));
    remote_fini(&remote);
}

static void pages_are_of_one_moment_until_the_next_beginning(void)
{
    static volatile uint64_t word __attribute__((aligned(8)));
    uint64_t seen;
    struct remote remote;
    remote_init(&remote, getpid());
    word = 1;
    CHECK(remote_read(&remote, (uint64_t)(uintptr_t)&word, &seen, 8) && seen == 1);
    word = 2;
    CHECK(remote_read(&remote, (uint64_t)(uintptr_t)&word, &seen, 8) && seen == 1);
    remote_begin(&remote, NULL);
    CHECK(remote_read(&remote, (uint64_t)(uintptr_t)&word, &seen, 8) && seen == 2);
    remote_fini(&remote);
}

static void more_pages_than_are_kept_can_be_read(void)
{
    enum { PAGES = 3 * REMOTE_PAGES };
    unsigned char *pages =
        mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct remote remote;
    remote_init(&remote, getpid());
    for (size_t i = 0; i < PAGES; i++)
        pages[i * 4096] = (unsigned char)i;
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < PAGES; i++) {
            unsigned char byte;
            CHECK(remote_read(&remote, (uint64_t)(uintptr_t)pages + i * 4096, &byte, 1));
            CHECK(byte == (unsigned char)i);
        }
    remote_fini(&remote);
}

/* What was needed the last time is there at once; what is gone meanwhile takes no other with it. */
static void expected_pages_are_of_the_moment_they_are_expected(void)
{
    unsigned char *pages =
        mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct remote_pages used = {0};
    struct remote remote;
    unsigned char byte;
    remote_init(&remote, getpid());
    remote_begin(&remote, &used);
    for (size_t i = 0; i < 4; i++)
        CHECK(remote_read(&remote, (uint64_t)(uintptr_t)pages + i * 4096, &byte, 1));
    remote_end(&remote, &used);
    CHECK(used.n == 4);
    memset(pages, 1, 4 * 4096);
    remote_begin(&remote, &used);
    memset(pages, 2, 4 * 4096);
    CHECK(remote_read(&remote, (uint64_t)(uintptr_t)pages + 4096, &byte, 1) && byte == 1);
    CHECK(remote_read(&remote, (uint64_t)(uintptr_t)pages + 8192, &byte, 1) && byte == 1);
    CHECK(munmap(pages + 4096, 4096) == 0);
    remote_begin(&remote, &used);
    CHECK(!remote_read(&remote, (uint64_t)(uintptr_t)pages + 4096, &byte, 1));
    CHECK(remote_read(&remote, (uint64_t)(uintptr_t)pages + 8192, &byte, 1) && byte == 2);
    remote_end(&remote, &used);
    CHECK(used.n == 1);
    remote_fini(&remote);
}

int main(void)
{
    RUN(reads_across_pages_and_stops_where_nothing_is);
    RUN(pages_are_of_one_moment_until_the_next_beginning);
    RUN(more_pages_than_are_kept_can_be_read);
    RUN(expected_pages_are_of_the_moment_they_are_expected);
    return 0;
}
