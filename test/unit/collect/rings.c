/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of processes that are gone, made by hand. */
#include "collect/rings.h"

#include "../check.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 65536u

static struct folder folder;

/* A ring of a process with one sample, made at that time; nobody is told that it is there. */
static void make_ring(pid_t pid, int time_ns)
{
    char name[64];
    struct ring ring;
    snprintf(name, sizeof name, RING_FILE_PREFIX "%d-%d", (int)pid, time_ns);
    int fd = openat(folder.fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)ring_file_bytes(BYTES)) == 0);
    CHECK(ring_map(&ring, fd, BYTES));
    close(fd);
    ring.header->version = WIRE_VERSION;
    ring.header->data_bytes = BYTES;
    ring.header->pid = (uint32_t)pid;
    struct record_sample *sample = ring_reserve(&ring, sizeof *sample);
    sample->time_ns = (uint64_t)time_ns;
    ring_finish(sample, RECORD_SAMPLE, 0, sizeof *sample);
    atomic_store_explicit(&ring.header->magic, RING_MAGIC, memory_order_release);
    ring_unmap(&ring);
}

/* Between a look at the folder and the next a process becomes another program, makes its second
 * ring, and dies. Its end must be told of the second, and the first must not end it. */
static void end_is_told_of_the_ring_made_after_exec(void)
{
    struct err e;
    struct rings rings;
    uint32_t process, n_samples[2] = {0};
    pid_t ended[2] = {-1, -1};
    const struct record_header *record;
    CHECK(folder_open(&folder, NULL, 1000000, BYTES, &e));
    rings_open(&rings, &folder);
    int hold[2];
    CHECK(pipe(hold) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        char byte;
        close(hold[1]);
        _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
    }
    make_ring(pid, 1);
    rings_begin_round(&rings, true); /* the first is found while the process lives */
    while (rings_next(&rings, &process, &record))
        n_samples[process] += record->kind == RECORD_SAMPLE;
    CHECK(rings.open.n == 1 && n_samples[0] == 1);
    make_ring(pid, 2);
    close(hold[1]);
    siginfo_t info;
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0); /* dead, and not forgotten */
    for (int round = 0; round < 2; round++) {
        rings_begin_round(&rings, false); /* nothing new was announced */
        while (rings_next(&rings, &process, &record)) {
            CHECK(process < 2);
            n_samples[process] += record->kind == RECORD_SAMPLE;
            if (record->kind == RECORD_END)
                ended[process] = rings.ended_pid;
        }
    }
    CHECK(ended[0] == 0 && ended[1] == pid);
    CHECK(n_samples[0] == 1 && n_samples[1] == 1);
    waitpid(pid, NULL, 0);
    rings_close(&rings);
    folder_close(&folder);
}

int main(void)
{
    RUN(end_is_told_of_the_ring_made_after_exec);
    return 0;
}
