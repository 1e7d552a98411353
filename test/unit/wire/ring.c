/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the ring: nothing is lost, torn or believed that should not be.
 *
 * The rings here are as small as a page, so that every border is met many times. */
#include "wire/ring.h"

#include "../check.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RING_BYTES 4096u

static struct ring new_ring_of(uint32_t data_bytes)
{
    struct ring ring;
    int fd = memfd_create("ring", MFD_CLOEXEC);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)ring_file_bytes(data_bytes)) == 0);
    CHECK(ring_map(&ring, fd, data_bytes));
    close(fd);
    return ring;
}

static struct ring new_ring(void)
{
    return new_ring_of(RING_BYTES);
}

/* A record whose every word after the header is its number, so that a torn one shows. */
static bool write_record(struct ring *ring, uint32_t size, uint64_t number)
{
    uint64_t *record = ring_reserve(ring, size);
    if (!record)
        return false;
    for (uint32_t i = 1; i < size / 8; i++)
        record[i] = number;
    ring_finish(record, RECORD_SAMPLE, (uint16_t)(size & 0xffff), size);
    return true;
}

static uint64_t buffer[RING_RECORD_MAX / 8];

/* The number of the next record, checked to be whole; UINT64_MAX when there is none. */
static uint64_t read_record(struct ring *ring)
{
    bool is_broken;
    uint32_t size = ring_read(ring, buffer, &is_broken);
    CHECK(!is_broken);
    if (size == 0)
        return UINT64_MAX;
    const struct record_header *head = (const struct record_header *)(const void *)buffer;
    CHECK(head->size == size && head->kind == RECORD_SAMPLE && head->flags == (size & 0xffff));
    for (uint32_t i = 2; i < size / 8; i++)
        CHECK(buffer[i] == buffer[1]);
    return buffer[1];
}

static void ring_gives_records_in_order(void)
{
    struct ring ring = new_ring();
    CHECK(read_record(&ring) == UINT64_MAX);
    for (uint64_t i = 0; i < 10; i++)
        CHECK(write_record(&ring, 16 + 8 * (uint32_t)i, i));
    for (uint64_t i = 0; i < 10; i++)
        CHECK(read_record(&ring) == i);
    CHECK(read_record(&ring) == UINT64_MAX);
    ring_unmap(&ring);
    CHECK(ring.header == NULL && ring.data == NULL);
}

static void ring_drops_newest_when_full(void)
{
    struct ring ring = new_ring();
    for (uint64_t i = 0; i < RING_BYTES / 64; i++)
        CHECK(write_record(&ring, 64, i));
    CHECK(!write_record(&ring, 64, 1000) && !write_record(&ring, 16, 1000));
    CHECK(read_record(&ring) == 0);
    CHECK(write_record(&ring, 64, 1001) && !write_record(&ring, 16, 1002));
    for (uint64_t i = 1; i < RING_BYTES / 64; i++)
        CHECK(read_record(&ring) == i);
    CHECK(read_record(&ring) == 1001 && read_record(&ring) == UINT64_MAX);
    ring_unmap(&ring);
}

static void ring_wraps_without_splitting(void)
{
    struct ring ring = new_ring();
    /* 1000 is no divisor of the size: records lie across the end at every possible offset. */
    for (uint64_t i = 0; i < 5000; i++) {
        uint32_t size = 1000 + 8 * (uint32_t)(i % 7);
        CHECK(write_record(&ring, size, i) && write_record(&ring, size, i + 100000));
        CHECK(read_record(&ring) == i && read_record(&ring) == i + 100000);
    }
    ring_unmap(&ring);
}

static void ring_holds_a_record_as_large_as_itself(void)
{
    struct ring ring = new_ring();
    CHECK(write_record(&ring, 24, 1) && read_record(&ring) == 1);
    CHECK(write_record(&ring, RING_BYTES, 2) && !write_record(&ring, 16, 3));
    CHECK(read_record(&ring) == 2);
    CHECK(ring_reserve(&ring, RING_BYTES + 8) == NULL);
    ring_unmap(&ring);
}

static void ring_refuses_a_record_the_reader_has_no_room_for(void)
{
    struct ring ring = new_ring_of(4 * RING_RECORD_MAX);
    CHECK(ring_reserve(&ring, RING_RECORD_MAX + 8) == NULL);
    CHECK(write_record(&ring, RING_RECORD_MAX, 5) && read_record(&ring) == 5);
    ring_unmap(&ring);
}

static void ring_waits_at_an_unfinished_record(void)
{
    struct ring ring = new_ring();
    uint64_t *slow = ring_reserve(&ring, 32);
    CHECK(slow && write_record(&ring, 32, 2));
    CHECK(read_record(&ring) == UINT64_MAX);
    slow[1] = slow[2] = slow[3] = 1;
    ring_finish(slow, RECORD_SAMPLE, 32, 32);
    CHECK(read_record(&ring) == 1 && read_record(&ring) == 2);
    ring_unmap(&ring);
}

static void ring_zeroes_what_was_read(void)
{
    struct ring ring = new_ring();
    for (uint64_t i = 1; i < 200; i++)
        CHECK(write_record(&ring, 1000, i) && read_record(&ring) == i);
    for (uint32_t i = 0; i < RING_BYTES; i++)
        CHECK(ring.data[i] == 0);
    ring_unmap(&ring);
}

/* ---- pages that come when they are needed ---- */

#define LARGE_BYTES (1u << 20)
#define FIRST_BYTES (128u * 1024u)

/* A ring whose file ends after `file_bytes` of data: to get pages beyond fails as it does where
 * memory has run out. The file stays open for the caller to ask and to lengthen. */
static struct ring new_growing_ring(int *fd, uint64_t file_bytes)
{
    struct ring ring;
    *fd = memfd_create("ring", MFD_CLOEXEC);
    CHECK(*fd >= 0 && ftruncate(*fd, (off_t)(RING_HEADER_BYTES + file_bytes)) == 0);
    CHECK(ring_map(&ring, *fd, LARGE_BYTES));
    CHECK(ring_starts_with(&ring, FIRST_BYTES));
    return ring;
}

static uint64_t bytes_of_pages(int fd)
{
    struct stat st;
    CHECK(fstat(fd, &st) == 0);
    return (uint64_t)st.st_blocks * 512;
}

static void ring_gets_pages_ahead_of_need(void)
{
    int fd;
    struct ring ring = new_growing_ring(&fd, LARGE_BYTES);
    CHECK(bytes_of_pages(fd) <= RING_HEADER_BYTES + FIRST_BYTES);
    for (uint64_t i = 0; i < LARGE_BYTES / 1024; i++) {
        CHECK(write_record(&ring, 1024, i));
        CHECK(bytes_of_pages(fd) >= (i + 1) * 1024);
        CHECK(bytes_of_pages(fd) <= RING_HEADER_BYTES + FIRST_BYTES + 4 * (i + 1) * 1024);
    }
    CHECK(!write_record(&ring, 16, 0) && ring_room(&ring) == LARGE_BYTES);
    for (uint64_t i = 0; i < LARGE_BYTES / 1024; i++)
        CHECK(read_record(&ring) == i && write_record(&ring, 1024, i));
    ring_unmap(&ring);
    close(fd);
}

static void ring_without_memory_is_full_where_its_pages_end(void)
{
    int fd;
    struct ring ring = new_growing_ring(&fd, FIRST_BYTES);
    for (uint64_t i = 0; i < FIRST_BYTES / 1024; i++)
        CHECK(write_record(&ring, 1024, i));
    CHECK(!write_record(&ring, 1024, 0) && !write_record(&ring, 16, 0));
    CHECK(ring_room(&ring) == FIRST_BYTES);
    for (uint64_t i = 0; i < FIRST_BYTES / 1024; i++)
        CHECK(read_record(&ring) == i);
    ring_unmap(&ring);
    close(fd);
}

/* As many pages as there were when no more could be had, wherever the records lie. */
static void ring_with_little_memory_moves_its_pages_along(void)
{
    int fd;
    struct ring ring = new_growing_ring(&fd, FIRST_BYTES);
    for (uint64_t i = 0; i < FIRST_BYTES / 1024; i++)
        CHECK(write_record(&ring, 1024, i));
    CHECK(ftruncate(fd, RING_HEADER_BYTES + LARGE_BYTES) == 0);
    for (uint64_t i = 0; i < 10 * LARGE_BYTES / 1024; i++) {
        CHECK(read_record(&ring) == i);
        if (i >= 64) /* behind the reader lies a step that can be given back */
            CHECK(write_record(&ring, 1024, i - 64 + FIRST_BYTES / 1024));
        CHECK(bytes_of_pages(fd) <= RING_HEADER_BYTES + FIRST_BYTES);
    }
    ring_unmap(&ring);
    close(fd);
}

/* ---- a target that scribbles on the shared memory ---- */

static bool is_refused(struct ring *ring)
{
    bool is_broken = false;
    return ring_read(ring, buffer, &is_broken) == 0 && is_broken;
}

static void ring_detects_broken_sizes(void)
{
    static const uint32_t sizes[] = {1, 4, 12, 20, 4104, RING_RECORD_MAX + 8, 0xfffffff8u, 72};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct ring ring = new_ring();
        void *record = ring_reserve(&ring, 64);
        CHECK(record);
        ring_finish(record, RECORD_SAMPLE, 0, sizes[i]);
        CHECK(is_refused(&ring));
        CHECK(is_refused(&ring));
        ring_unmap(&ring);
    }
}

static void ring_detects_broken_positions(void)
{
    static const struct {
        uint64_t head, tail;
    } positions[] = {
        {RING_BYTES + 8, 0}, {0, 8}, {12, 0}, {20, 12}, {UINT64_MAX, 0}, {1ull << 63, 0},
    };
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
        struct ring ring = new_ring();
        atomic_store(&ring.header->head, positions[i].head);
        atomic_store(&ring.header->tail, positions[i].tail);
        CHECK(is_refused(&ring));
        ring_unmap(&ring);
    }
}

static void ring_map_refuses_a_bad_file(void)
{
    struct ring ring = {0};
    CHECK(!ring_map(&ring, -1, RING_BYTES));
    CHECK(ring.header == NULL);
}

static void ring_counts_by_reason(void)
{
    struct ring ring = new_ring();
    ring_count(&ring, COUNTER_SAMPLES, 3);
    ring_count(&ring, COUNTER_SAMPLES, 4);
    ring_count(&ring, COUNTER_FAULTS, 1);
    CHECK(atomic_load(&ring.header->counters[COUNTER_SAMPLES]) == 7);
    CHECK(atomic_load(&ring.header->counters[COUNTER_FAULTS]) == 1);
    CHECK(atomic_load(&ring.header->counters[COUNTER_DROPPED_RING_FULL]) == 0);
    ring_unmap(&ring);
}

/* ---- many writers, one reader ---- */

enum { N_WRITERS = 6, N_EACH = 20000 };

struct writer {
    struct ring *ring;
    uint64_t number;
    uint64_t n_written, n_dropped; /* read by the main thread after the join */
};

/* Writes its numbers in order, of changing sizes; a full ring is a drop, as in the agent. */
static void *writer_main(void *argument)
{
    struct writer *writer = argument;
    for (uint64_t i = 0; i < N_EACH; i++) {
        uint32_t size = 16 + 8 * (uint32_t)((i * 7 + writer->number) % 24);
        if (write_record(writer->ring, size, writer->number << 32 | i)) {
            writer->n_written++;
        } else {
            writer->n_dropped++;
            sched_yield();
        }
    }
    return NULL;
}

struct reader {
    struct ring *ring;
    _Atomic bool is_last; /* set by the main thread when every writer has ended */
    uint64_t n_of[N_WRITERS];
};

static void *reader_main(void *argument)
{
    struct reader *reader = argument;
    uint64_t next[N_WRITERS] = {0};
    for (;;) {
        bool is_last = atomic_load_explicit(&reader->is_last, memory_order_acquire);
        uint64_t number = read_record(reader->ring);
        if (number == UINT64_MAX) {
            if (is_last)
                return NULL;
            sched_yield();
            continue;
        }
        uint64_t writer = number >> 32, i = number & 0xffffffffu;
        CHECK(writer < N_WRITERS && i >= next[writer] && i < N_EACH);
        next[writer] = i + 1;
        reader->n_of[writer]++;
    }
}

static void write_and_read_at_once(struct ring ring)
{
    struct reader reader = {.ring = &ring};
    struct writer writers[N_WRITERS];
    pthread_t reading, writing[N_WRITERS];
    CHECK(pthread_create(&reading, NULL, reader_main, &reader) == 0);
    for (uint64_t i = 0; i < N_WRITERS; i++) {
        writers[i] = (struct writer){.ring = &ring, .number = i};
        CHECK(pthread_create(&writing[i], NULL, writer_main, &writers[i]) == 0);
    }
    for (size_t i = 0; i < N_WRITERS; i++)
        pthread_join(writing[i], NULL);
    atomic_store_explicit(&reader.is_last, true, memory_order_release);
    pthread_join(reading, NULL);
    for (size_t i = 0; i < N_WRITERS; i++) {
        CHECK(writers[i].n_written + writers[i].n_dropped == N_EACH);
        CHECK(reader.n_of[i] == writers[i].n_written);
        CHECK(writers[i].n_written > 0);
    }
    ring_unmap(&ring);
}

static void ring_of_many_writers_loses_and_tears_nothing(void)
{
    write_and_read_at_once(new_ring());
}

static void ring_that_grows_under_many_writers_loses_and_tears_nothing(void)
{
    int fd;
    write_and_read_at_once(new_growing_ring(&fd, LARGE_BYTES));
    close(fd);
    struct ring scarce = new_growing_ring(&fd, LARGE_BYTES);
    atomic_store(&scarce.header->scarce_bytes, FIRST_BYTES);
    write_and_read_at_once(scarce);
    CHECK(bytes_of_pages(fd) <= RING_HEADER_BYTES + FIRST_BYTES);
    close(fd);
}

int main(void)
{
    RUN(ring_gives_records_in_order);
    RUN(ring_drops_newest_when_full);
    RUN(ring_wraps_without_splitting);
    RUN(ring_holds_a_record_as_large_as_itself);
    RUN(ring_refuses_a_record_the_reader_has_no_room_for);
    RUN(ring_waits_at_an_unfinished_record);
    RUN(ring_zeroes_what_was_read);
    RUN(ring_gets_pages_ahead_of_need);
    RUN(ring_without_memory_is_full_where_its_pages_end);
    RUN(ring_with_little_memory_moves_its_pages_along);
    RUN(ring_detects_broken_sizes);
    RUN(ring_detects_broken_positions);
    RUN(ring_map_refuses_a_bad_file);
    RUN(ring_counts_by_reason);
    RUN(ring_of_many_writers_loses_and_tears_nothing);
    RUN(ring_that_grows_under_many_writers_loses_and_tears_nothing);
    return 0;
}
