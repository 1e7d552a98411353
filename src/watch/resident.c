/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/resident.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS ((int64_t)100 * 1000000)
/* For the share in what others use, too, the kernel walks all pages of the process: asked for
 * rarely, and the more rarely the longer it takes. */
#define SHARED_PAUSE_NS ((int64_t)1000 * 1000000)
#define SHARED_PART     1000

static bool read_file(pid_t pid, const char *name, char *text, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* In bytes; 0: not to be known. */
static uint64_t rss_of(pid_t pid)
{
    char text[128], *at = text;
    if (!read_file(pid, "statm", text, sizeof text))
        return 0;
    strtoull(at, &at, 10); /* its size, in pages as the next */
    return strtoull(at, &at, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t pss_of(pid_t pid)
{
    static const char key[] = "\nPss:";
    char text[2048];
    const char *at = read_file(pid, "smaps_rollup", text, sizeof text) ? strstr(text, key) : NULL;
    return at ? strtoull(at + sizeof key - 1, NULL, 10) * 1024 : 0;
}

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct resident_look resident_begin(const struct resident *resident, int64_t now_ns)
{
    bool is_due = now_ns >= resident->due_ns;
    /* Not at the very start: most of what is short-lived never has to wait for it. */
    bool has_shared = is_due && resident->due_ns && now_ns >= resident->shared_due_ns;
    return (struct resident_look){is_due, has_shared, now_ns, has_shared ? clock_ns() : 0};
}

void resident_see(const struct resident_look *look, struct queue *queue, uint32_t process,
                  pid_t pid)
{
    uint64_t rss_bytes = look->is_due ? rss_of(pid) : 0;
    if (rss_bytes == 0)
        return;
    uint64_t pss_bytes = look->has_shared ? pss_of(pid) : 0;
    struct record_resident *record = queue_push(queue, process, RECORD_RESIDENT, sizeof *record);
    record->time_ns = (uint64_t)look->now_ns;
    record->rss_bytes = rss_bytes;
    record->pss_bytes = pss_bytes;
}

void resident_end(struct resident *resident, const struct resident_look *look)
{
    if (!look->is_due)
        return;
    resident->due_ns = look->now_ns + PAUSE_NS;
    if (!look->has_shared)
        return;
    int64_t pause_ns = SHARED_PART * (clock_ns() - look->begin_ns);
    resident->shared_due_ns =
        look->now_ns + (pause_ns > SHARED_PAUSE_NS ? pause_ns : SHARED_PAUSE_NS);
}
