/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/namespace.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t namespace_of(pid_t pid)
{
    char path[48];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

bool namespace_is_foreign(pid_t pid)
{
    uint64_t here = namespace_of(getpid()), there = namespace_of(pid);
    return here && there && here != there;
}

/* What a process or thread calls itself: the last number of its line NSpid, which has one for each
 * namespace from ours to its own. 0: it is gone, or the kernel does not tell. */
static uint32_t own_number(const char *folder, uint32_t number)
{
    char path[64], line[256];
    uint32_t own = 0;
    snprintf(path, sizeof path, "%s/%u/status", folder, number);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "NSpid:", 6) != 0)
            continue;
        char *at = line + 6, *end;
        for (unsigned long next; next = strtoul(at, &end, 10), end != at; at = end)
            own = (uint32_t)next;
        break;
    }
    if (file)
        fclose(file);
    return own;
}

/* The entry of `folder` that calls itself `own`, in any namespace or just in that one. */
static uint32_t find(const char *folder, uint32_t own, uint64_t namespace)
{
    uint32_t found = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && !found && (entry = readdir(entries));) {
        uint32_t number = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (number && own_number(folder, number) == own &&
            (!namespace || namespace_of((pid_t)number) == namespace))
            found = number;
    }
    if (entries)
        closedir(entries);
    return found;
}

pid_t namespace_process(uint64_t namespace, uint32_t pid)
{
    return (pid_t)find("/proc", pid, namespace);
}

uint32_t namespace_thread(pid_t process, uint32_t tid, uint32_t guess)
{
    char folder[48];
    snprintf(folder, sizeof folder, "/proc/%d/task", (int)process);
    return own_number(folder, guess) == tid ? guess : find(folder, tid, 0);
}
