/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/runs.h"

#include "base/vec.h"
#include "collect/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A collector looks for requests ten times a second; writing a large profile may take longer. */
#define ASK_AGAIN_NS 5000000
#define PATIENCE     (60u * 200u)

/* A folder of a run that is going on. */
struct found {
    char path[512];
    pid_t collector;
};
typedef vec_of(struct found) found_list;

/* A collector that lives holds a lock on its control block. */
static bool is_alive(const char *folder)
{
    char path[600];
    snprintf(path, sizeof path, "%s/" CONTROL_FILE, folder);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool is_held = flock(fd, LOCK_SH | LOCK_NB) != 0;
    close(fd);
    return is_held;
}

static void find_all(found_list *list)
{
    const char *place;
    for (size_t i = 0; (place = folder_place(i)); i++) {
        DIR *all = *place ? opendir(place) : NULL;
        for (struct dirent *entry; all && (entry = readdir(all));) {
            struct found found;
            int n = snprintf(found.path, sizeof found.path, "%s/%s", place, entry->d_name);
            found.collector = folder_owner(entry->d_name);
            if (n < (int)sizeof found.path && found.collector > 0 && is_alive(found.path))
                *vec_push(list) = found;
        }
        if (all)
            closedir(all);
    }
}

/* Whether the process has the control block of this folder in its memory. */
static bool has_mapped(FILE *maps, const char *folder)
{
    char line[1024], wanted[600];
    bool is_found = false;
    snprintf(wanted, sizeof wanted, "/%s/" CONTROL_FILE, strrchr(folder, '/') + 1);
    rewind(maps);
    while (!is_found && fgets(line, sizeof line, maps))
        is_found = strstr(line, wanted) != NULL;
    return is_found;
}

static const struct found *find_by_pid(const found_list *list, pid_t pid, struct err *e)
{
    char path[64];
    if (kill(pid, 0) != 0 && errno == ESRCH) {
        err_set(e, "Process %d not found.", (int)pid);
        return NULL;
    }
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].collector == pid)
            return &list->items[i];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    /* Opening may succeed where reading does not. */
    errno = maps ? 0 : errno;
    if (!maps || (fgetc(maps) == EOF && errno)) {
        err_set(e, "process %d may not be looked into: %s.", (int)pid, strerror(errno));
        if (maps)
            fclose(maps);
        return NULL;
    }
    const struct found *found = NULL;
    for (size_t i = 0; i < list->n && !found; i++)
        found = has_mapped(maps, list->items[i].path) ? &list->items[i] : NULL;
    fclose(maps);
    if (!found)
        err_set(e, "process %d is not being profiled.", (int)pid);
    return found;
}

static const struct found *find_only(const found_list *list, struct err *e)
{
    if (list->n == 1)
        return &list->items[0];
    if (list->n == 0)
        err_set(e, "no program is being profiled now.");
    else
        err_set(e,
                "%zu programs are being profiled (by the processes %d, %d%s): name one by --pid.",
                list->n, (int)list->items[0].collector, (int)list->items[1].collector,
                list->n > 2 ? "..." : "");
    return NULL;
}

static bool map_control(struct run *run, const struct found *found, struct err *e)
{
    run->collector = found->collector;
    run->folder_fd = open(found->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = openat(run->folder_fd, CONTROL_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    void *at = fd < 0 ? MAP_FAILED
                      : mmap(NULL, sizeof *run->control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (at == MAP_FAILED)
        return err_set(e, "cannot speak to process %d: %s.", (int)found->collector,
                       strerror(errno));
    run->control = at;
    if (run->control->magic != CONTROL_MAGIC || run->control->version != WIRE_VERSION)
        return err_set(e, "process %d is a scalene of another version.", (int)found->collector);
    return true;
}

bool run_open(struct run *run, pid_t pid, struct err *e)
{
    found_list list = {0};
    *run = (struct run){.folder_fd = -1};
    find_all(&list);
    const struct found *found = pid ? find_by_pid(&list, pid, e) : find_only(&list, e);
    bool is_open = found && map_control(run, found, e);
    vec_fini(&list);
    if (!is_open)
        run_close(run);
    return is_open;
}

void run_close(struct run *run)
{
    if (run->control)
        munmap(run->control, sizeof *run->control);
    if (run->folder_fd >= 0)
        close(run->folder_fd);
    *run = (struct run){.folder_fd = -1};
}

bool run_ask(struct run *run, enum control_request request, char *answer, struct err *e)
{
    struct control *c = run->control;
    struct timespec pause = {.tv_nsec = ASK_AGAIN_NS};
    if (flock(run->folder_fd, LOCK_EX) != 0) /* one request at a time */
        return err_set(e, "cannot speak to process %d: %s.", (int)run->collector, strerror(errno));
    atomic_store_explicit(&c->request, (uint32_t)request, memory_order_relaxed);
    /* Pairs with the collector's acquire load. */
    uint32_t n = atomic_fetch_add_explicit(&c->n_requests, 1, memory_order_release) + 1;
    for (unsigned i = 0; i < PATIENCE; i++) {
        /* Pairs with the collector's release store: its answer is there. */
        if (atomic_load_explicit(&c->n_answered, memory_order_acquire) == n) {
            memcpy(answer, c->answer, sizeof c->answer);
            answer[sizeof c->answer - 1] = '\0';
            return !c->is_refused || err_set(e, "%s", answer);
        }
        if (kill(run->collector, 0) != 0 && errno == ESRCH)
            return err_set(e, "the program has ended.");
        nanosleep(&pause, NULL);
    }
    return err_set(e, "process %d does not answer.", (int)run->collector);
}
