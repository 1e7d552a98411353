/* SPDX-License-Identifier: Apache-2.0 */
/* Making, filling and removing the private folder of a run. */
#include "collect/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_PREFIX "scalene-"
#define AGENT_LINK    "libscalene.so"

/* Shared memory first: a ring on a disk would be written back to it. */
static const char *const places[] = {"/dev/shm", "$XDG_RUNTIME_DIR", "$TMPDIR", "/tmp"};
#define N_PLACES (sizeof places / sizeof *places)

/* The path of a place; NULL when the variable it names is not set or not absolute. */
static const char *place_path(const char *place)
{
    const char *path = place[0] == '$' ? getenv(place + 1) : place;
    return path && path[0] == '/' ? path : NULL;
}

const char *folder_place(size_t i)
{
    const char *path = i < N_PLACES ? place_path(places[i]) : NULL;
    return i < N_PLACES ? path ? path : "" : NULL;
}

pid_t folder_owner(const char *name)
{
    int pid = 0, end = 0;
    if (sscanf(name, FOLDER_PREFIX "%d-%*6[A-Za-z0-9]%n", &pid, &end) != 1 || end == 0 ||
        name[end] != '\0')
        return 0;
    return pid > 0 ? pid : 0;
}

/* Removes the plain files of a folder, and of the folders in it down to `depth`, then itself. */
static void remove_folder(int parent_fd, const char *name, int depth)
{
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *files = fd < 0 ? NULL : fdopendir(fd);
    if (!files) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(files));)
        if (unlinkat(fd, entry->d_name, 0) != 0 && depth > 0 && entry->d_name[0] != '.')
            remove_folder(fd, entry->d_name, depth - 1);
    closedir(files);
    unlinkat(parent_fd, name, AT_REMOVEDIR);
}

/* Whether `name` is the folder of a run whose collector has died. The pid alone does not tell (a
 * container may share the place but not the pids), so the lock on the control file must be free. */
static bool is_stale(int parent_fd, const char *name)
{
    struct stat st;
    pid_t pid = folder_owner(name);
    char control[300];
    if (pid == 0)
        return false;
    if (fstatat(parent_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
        st.st_uid != geteuid() || kill(pid, 0) == 0 || errno != ESRCH)
        return false;
    snprintf(control, sizeof control, "%s/" CONTROL_FILE, name);
    int fd = openat(parent_fd, control, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    bool is_free = flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return is_free;
}

static void remove_stale(const char *place)
{
    DIR *all = opendir(place);
    if (!all)
        return;
    for (struct dirent *entry; (entry = readdir(all));)
        if (is_stale(dirfd(all), entry->d_name))
            remove_folder(dirfd(all), entry->d_name, 1);
    closedir(all);
}

static bool make_folder(struct folder *folder, struct err *e)
{
    int cause = ENOENT;
    for (size_t i = 0; i < N_PLACES; i++) {
        const char *place = place_path(places[i]);
        if (!place || strlen(place) > sizeof folder->path - 64)
            continue;
        remove_stale(place);
        snprintf(folder->path, sizeof folder->path, "%s/" FOLDER_PREFIX "%d-XXXXXX", place,
                 (int)getpid());
        if (mkdtemp(folder->path)) {
            folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (folder->fd >= 0)
                return true;
            rmdir(folder->path);
        }
        cause = errno;
    }
    folder->path[0] = '\0';
    return err_set(e, "cannot make a folder for the agent in /dev/shm, $TMPDIR or /tmp: %s.",
                   strerror(cause));
}

/* What stands in LD_PRELOAD is split at spaces and colons, and $ORIGIN and its like are replaced.
 */
static bool can_be_preloaded(const char *path, size_t room)
{
    return strpbrk(path, " :$") == NULL && strlen(path) < room;
}

static bool name_agent(struct folder *folder, const char *agent_path, struct err *e)
{
    char *name = folder->control->agent_path;
    size_t room = sizeof folder->control->agent_path;
    const char *path = agent_path;
    char link[sizeof folder->path + sizeof AGENT_LINK + 1];
    if (!can_be_preloaded(agent_path, room)) {
        if (symlinkat(agent_path, folder->fd, AGENT_LINK) != 0)
            return err_set(e, "cannot link '%s' into '%s': %s.", agent_path, folder->path,
                           strerror(errno));
        snprintf(link, sizeof link, "%s/" AGENT_LINK, folder->path);
        path = link;
    }
    if (!can_be_preloaded(path, room))
        return err_set(e, "the agent '%s' cannot be preloaded: spaces, colons or dollars in '%s'.",
                       agent_path, folder->path);
    memcpy(name, path, strlen(path) + 1);
    return true;
}

static bool make_control(struct folder *folder, struct err *e)
{
    size_t n_bytes = sizeof(struct control);
    folder->control_fd =
        openat(folder->fd, CONTROL_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *block = MAP_FAILED;
    if (folder->control_fd >= 0 && flock(folder->control_fd, LOCK_EX | LOCK_NB) == 0 &&
        (errno = posix_fallocate(folder->control_fd, 0, (off_t)n_bytes)) == 0)
        block = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, folder->control_fd, 0);
    if (block == MAP_FAILED)
        return err_set(e, "cannot make the control block in '%s': %s.", folder->path,
                       strerror(errno));
    folder->control = block;
    return true;
}

bool folder_open(struct folder *folder, const char *agent_path, uint32_t period_ns,
                 uint32_t ring_bytes, struct err *e)
{
    *folder = (struct folder){.fd = -1, .control_fd = -1};
    if (!make_folder(folder, e))
        return false;
    if (!make_control(folder, e) || (agent_path && !name_agent(folder, agent_path, e))) {
        folder_close(folder);
        return false;
    }
    folder->control->collector_pid = (uint32_t)getpid();
    folder->control->version = WIRE_VERSION;
    folder->control->ring_bytes = ring_bytes;
    folder->control->period_ns = period_ns;
    folder->control->magic = CONTROL_MAGIC; /* no agent exists before the launch */
    return true;
}

void folder_close(struct folder *folder)
{
    if (folder->path[0])
        remove_folder(AT_FDCWD, folder->path, 1);
    if (folder->control)
        munmap(folder->control, sizeof *folder->control);
    if (folder->control_fd >= 0)
        close(folder->control_fd);
    if (folder->fd >= 0)
        close(folder->fd);
    *folder = (struct folder){.fd = -1, .control_fd = -1};
}
