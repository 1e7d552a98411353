/* SPDX-License-Identifier: Apache-2.0 */
/* Discovering, validating and draining rings. Nothing that a target has written is believed before
 * it is checked. */
#include "collect/rings.h"

#include "watch/namespace.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A ring larger than this was not asked for by us. */
#define RING_BYTES_MAX (1u << 30)
/* A record from so far in the future was stamped by another clock (a time namespace). */
#define OTHER_CLOCK_NS UINT64_C(1000000000)

/* A file of the folder that may be a ring. */
struct candidate {
    char name[96];    /* relative to the folder */
    uint64_t time_ns; /* from its name: rings are numbered in the order they were made */
    uid_t owner;      /* who must have made it */
};
typedef vec_of(struct candidate) candidates;

void rings_open(struct rings *rings, struct folder *folder)
{
    *rings = (struct rings){.folder = folder, .buffer = xrealloc(NULL, RING_RECORD_MAX)};
}

static void close_item(struct rings_item *item)
{
    ring_unmap(&item->ring);
    process_close(&item->process);
}

void rings_close(struct rings *rings)
{
    for (size_t i = 0; i < rings->open.n; i++)
        close_item(&rings->open.items[i]);
    vec_fini(&rings->open);
    free(rings->buffer);
    rings->buffer = NULL;
}

/* Whether the header describes a ring of this version in a file of the right size and owner.
 * *is_ready false: the agent has not finished making it. */
static bool is_valid(int fd, uid_t owner, struct ring_header *header, bool *is_ready)
{
    struct stat st;
    ssize_t n = pread(fd, header, sizeof *header, 0);
    *is_ready = n == (ssize_t)sizeof *header && header->magic != 0;
    if (!*is_ready || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != owner)
        return false;
    uint32_t bytes = header->data_bytes;
    return header->magic == RING_MAGIC && header->version == WIRE_VERSION && bytes >= 4096 &&
           bytes <= RING_BYTES_MAX && (bytes & (bytes - 1)) == 0 &&
           (uint64_t)st.st_size == ring_file_bytes(bytes) && header->pid > 0 &&
           header->pid <= INT32_MAX;
}

/* The number by which we see the process of a ring. Where it has a /proc of its own it could tell
 * only the number by which it sees itself. */
static pid_t pid_of(const struct ring_header *header)
{
    uint64_t there = header->pid_namespace;
    bool is_ours =
        !there || there == namespace_of(getpid()) || there == namespace_of((pid_t)header->pid);
    pid_t pid = is_ours ? 0 : namespace_process(there, header->own_pid);
    return pid ? pid : (pid_t)header->pid;
}

/* An older ring of the same process is from before its exec: nobody writes into it any more. */
static void supersede(struct rings *rings, pid_t pid)
{
    for (size_t i = 0; i < rings->open.n; i++)
        if (rings->open.items[i].process.pid == pid)
            rings->open.items[i].is_superseded = true;
}

static void open_ring(struct rings *rings, const struct candidate *candidate)
{
    const char *name = candidate->name;
    struct ring_header header;
    struct ring ring;
    bool is_ready = true;
    int fd = openat(rings->folder->fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (is_valid(fd, candidate->owner, &header, &is_ready) &&
        ring_map(&ring, fd, header.data_bytes)) {
        pid_t pid = pid_of(&header);
        supersede(rings, pid);
        struct rings_item *item = vec_push(&rings->open);
        item->ring = ring;
        item->number = rings->n_processes++;
        process_open(&item->process, pid);
    }
    if (is_ready)
        unlinkat(rings->folder->fd, name, 0);
    close(fd);
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const struct candidate *)a)->time_ns, y = ((const struct candidate *)b)->time_ns;
    return x < y ? -1 : x > y;
}

static void look_into(struct rings *rings, const char *name, uid_t owner, candidates *found);

/* A ring, or the folder of a user that a process was about to become (agent/process.c). */
static void consider(struct rings *rings, const char *parent, const char *name, uid_t owner,
                     candidates *found)
{
    unsigned long long number, time_ns;
    char path[sizeof found->items->name];
    int end = 0;
    if (sscanf(name, RING_FILE_PREFIX "%llu-%llu", &number, &time_ns) == 2) {
        if (snprintf(path, sizeof path, "%s%s", parent, name) >= (int)sizeof path)
            return;
        struct candidate *candidate = vec_push(found);
        *candidate = (struct candidate){.time_ns = time_ns, .owner = owner};
        strcpy(candidate->name, path);
    } else if (!*parent && sscanf(name, "%10llu%n", &number, &end) == 1 && !name[end]) {
        snprintf(path, sizeof path, "%llu/", number);
        look_into(rings, path, (uid_t)number, found);
    }
}

static void look_into(struct rings *rings, const char *name, uid_t owner, candidates *found)
{
    int fd = openat(rings->folder->fd, *name ? name : ".",
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *files = fd < 0 ? NULL : fdopendir(fd);
    if (!files) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(files));)
        consider(rings, name, entry->d_name, owner, found);
    closedir(files);
}

static void look_for_rings(struct rings *rings)
{
    candidates found = {0};
    look_into(rings, "", geteuid(), &found);
    if (found.n)
        qsort(found.items, found.n, sizeof *found.items, by_time);
    for (size_t i = 0; i < found.n; i++)
        open_ring(rings, &found.items[i]);
    vec_fini(&found);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Finds out when the ring's next record of this round was written. The end of a process that is
 * gone comes right after its last record, whose moment is still in due_ns. */
static void find_due(const struct rings *rings, struct rings_item *item)
{
    uint64_t time_ns;
    bool has_next = item->round_bytes > 0 && ring_peek_time(&item->ring, &time_ns);
    bool is_other_clock = has_next && time_ns > rings->round_ns + OTHER_CLOCK_NS;
    if (has_next && (time_ns <= rings->round_ns || item->is_gone || is_other_clock))
        item->due_ns = time_ns < rings->round_ns ? time_ns : rings->round_ns;
    else if (has_next || !item->is_gone)
        item->due_ns = RINGS_DONE;
}

/* What the ring holds when the round begins is what the round reads. */
static void begin_round_of(struct rings *rings, size_t i)
{
    bool is_dead = process_is_gone(&rings->open.items[i].process);
    if (is_dead && !rings->open.items[i].is_superseded)
        /* It may have started over by exec before it died: then its end is told of the newer ring.
         */
        look_for_rings(rings);
    struct rings_item *item = &rings->open.items[i];
    item->is_gone = rings->is_closing || item->is_superseded || is_dead;
    /* Relaxed: only an amount; what is read is ordered by the records' own header words. */
    uint64_t head = atomic_load_explicit(&item->ring.header->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&item->ring.header->tail, memory_order_relaxed);
    item->round_bytes = head - tail;
    item->due_ns = 0;
    rings->is_filling |= head - tail > ring_room(&item->ring) / 4;
    find_due(rings, item);
}

/* The ring with the earliest record has its turn, until the next one's record is earlier. Of those
 * with the same moment the older process comes first. */
static void choose_turn(struct rings *rings)
{
    uint64_t first_ns = RINGS_DONE;
    rings->turn = rings->open.n;
    rings->turn_ns = RINGS_DONE;
    for (size_t i = 0; i < rings->open.n; i++) {
        uint64_t due_ns = rings->open.items[i].due_ns;
        if (due_ns < first_ns) {
            rings->turn_ns = first_ns;
            first_ns = due_ns;
            rings->turn = i;
        } else if (due_ns < rings->turn_ns) {
            rings->turn_ns = due_ns;
        }
    }
}

void rings_begin_round(struct rings *rings, bool is_forced)
{
    /* Pairs with the agent's increment after its ring is ready. */
    uint32_t n = atomic_load_explicit(&rings->folder->control->rings, memory_order_acquire);
    if (is_forced || n != rings->n_looked_at)
        look_for_rings(rings);
    rings->n_looked_at = n;
    rings->is_filling = false;
    rings->round_ns = now_ns();
    for (size_t i = 0; i < rings->open.n; i++)
        begin_round_of(rings, i);
    choose_turn(rings);
}

/* The CPU time of a process that has become another program belongs to that one's record. */
static void write_end(struct rings_item *item, void *buffer)
{
    struct record_end *end = buffer;
    *end = (struct record_end){.head = {.size = sizeof *end, .kind = RECORD_END}};
    end->time_ns = now_ns();
    end->cpu_ns = item->is_superseded ? 0 : process_cpu_ns(item->process.pid);
    for (size_t i = 0; i < RING_COUNTERS; i++)
        end->counters[i] =
            atomic_load_explicit(&item->ring.header->counters[i], memory_order_relaxed);
}

/* Reads the record that is due, and finds out when the next one is; 0: there is none. */
static uint32_t read_record(const struct rings *rings, struct rings_item *item)
{
    bool is_broken = false;
    uint32_t size = item->round_bytes ? ring_read(&item->ring, rings->buffer, &is_broken) : 0;
    item->round_bytes = size && size < item->round_bytes ? item->round_bytes - size : 0;
    struct record_process *record = (void *)rings->buffer;
    if (size >= sizeof *record && record->head.kind == RECORD_PROCESS)
        record->pid = (uint32_t)item->process.pid;
    find_due(rings, item);
    return size;
}

/* The ring is empty and its process is gone: its last record is its end. */
static void end_item(struct rings *rings, struct rings_item *item)
{
    write_end(item, rings->buffer);
    rings->ended_pid = item->is_superseded ? 0 : item->process.pid;
    close_item(item);
    rings->open.n--;
    memmove(item, item + 1, (rings->open.n - rings->turn) * sizeof *item);
    choose_turn(rings);
}

bool rings_next(struct rings *rings, uint32_t *process, const struct record_header **record)
{
    *record = (const struct record_header *)(const void *)rings->buffer;
    while (rings->turn < rings->open.n) {
        struct rings_item *item = &rings->open.items[rings->turn];
        *process = item->number;
        bool is_read = read_record(rings, item) != 0;
        if (!is_read && item->is_gone) {
            end_item(rings, item);
            return true;
        }
        if (!is_read || item->due_ns > rings->turn_ns || item->due_ns == RINGS_DONE)
            choose_turn(rings);
        if (is_read)
            return true;
    }
    return false;
}

void rings_want_waits(struct rings *rings, uint32_t process)
{
    for (size_t i = 0; i < rings->open.n; i++)
        if (rings->open.items[i].number == process)
            atomic_store_explicit(&rings->open.items[i].ring.header->wants_waits, 1,
                                  memory_order_relaxed);
}
