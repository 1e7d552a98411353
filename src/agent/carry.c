/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's two environment variables: LD_PRELOAD with the agent's path in it, and CONTROL_ENV
 * with the folder. Hides them at boot, and builds environments that have them again.
 *
 * Everything but carry_hide may run in the child of a vfork, which shares our memory: it writes
 * nothing but the room its caller gives it. */
#include "agent/carry.h"

#include "agent/real.h"
#include "wire/preload.h"
#include "wire/ring.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/safe.h"

#define PRELOAD_IS "LD_PRELOAD="
#define FOLDER_IS  CONTROL_ENV "="

static const char *const function_names[CARRY_FUNCTIONS] = {
    [CARRY_EXECVE] = "execve",
    [CARRY_EXECVPE] = "execvpe",
    [CARRY_FEXECVE] = "fexecve",
    [CARRY_POSIX_SPAWN] = "posix_spawn",
    [CARRY_POSIX_SPAWNP] = "posix_spawnp",
    [CARRY_SYSTEM] = "system",
    [CARRY_POPEN] = "popen",
};

/* Written by carry_hide alone, and constant once main runs; or by carry_begin and carry_end, where
 * the program loads us itself. The entries are copies, because programs that set their title write
 * over the environment the kernel gave them. */
static struct {
    _Atomic bool is_on; /* released when the rest is written, acquired by who reads it */
    char preload_entry[sizeof PRELOAD_IS + PATH_MAX]; /* "LD_PRELOAD=<agent>" */
    char folder_entry[sizeof FOLDER_IS + PATH_MAX];   /* "SCALENE_AGENT=<folder>" */
    void *functions[CARRY_FUNCTIONS];
} carry;

/* The part of an entry after `name_is`, or NULL when it is another variable. */
static const char *value_of(const char *entry, const char *name_is)
{
    size_t n = strlen(name_is);
    return strncmp(entry, name_is, n) == 0 ? entry + n : NULL;
}

static const char *agent_path(void)
{
    return carry.preload_entry + strlen(PRELOAD_IS);
}

/* Where the agent stands in the value of an LD_PRELOAD, or NULL. */
static const char *find_agent(const char *list)
{
    size_t n = strlen(agent_path());
    while (*list) {
        size_t length = strcspn(list, PRELOAD_SEPARATORS);
        if (length == n && memcmp(list, agent_path(), n) == 0)
            return list;
        list += length;
        list += strspn(list, PRELOAD_SEPARATORS);
    }
    return NULL;
}

/* False: too long to be kept, so nothing can be carried. */
static bool keep_entry(char *entry, size_t room, const char *name_is, const char *value)
{
    size_t n_name = strlen(name_is), n_value = strlen(value);
    if (n_name + n_value + 1 > room)
        return false;
    memcpy(entry, name_is, n_name);
    memcpy(entry + n_name, value, n_value + 1);
    return true;
}

/* The path the dynamic linker loaded us by is the one that stands in LD_PRELOAD. A relative one
 * would name something else after a chdir. */
static bool remember(void)
{
    const char *folder = NULL;
    Dl_info self;
    for (char **at = environ; at && *at && !folder; at++)
        folder = value_of(*at, FOLDER_IS);
    return folder && dladdr((void *)&carry, &self) && self.dli_fname && self.dli_fname[0] == '/' &&
           keep_entry(carry.preload_entry, sizeof carry.preload_entry, PRELOAD_IS,
                      self.dli_fname) &&
           keep_entry(carry.folder_entry, sizeof carry.folder_entry, FOLDER_IS, folder);
}

/* Takes the agent and the separator that came with it out of an LD_PRELOAD entry, in place. What
 * is left behind the new end stays: /proc/PID/environ shows it, and readers of that file stop at
 * an empty string but skip one without '='. False: the agent was all there was. */
static bool strip_entry(char *entry)
{
    char *from = entry + (find_agent(entry + strlen(PRELOAD_IS)) - entry);
    char *rest = from + strlen(agent_path());
    if (*rest)
        rest++;
    else if (from > entry + strlen(PRELOAD_IS))
        from--;
    else
        return false;
    memmove(from, rest, strlen(rest) + 1);
    return true;
}

/* Whether an entry of the environment must go altogether; an LD_PRELOAD that also has the user's
 * libraries is cut down to them. */
static bool is_to_go(char *entry)
{
    const char *list = value_of(entry, PRELOAD_IS);
    if (list && find_agent(list))
        return !strip_entry(entry);
    return value_of(entry, FOLDER_IS) != NULL;
}

void carry_hide(void)
{
    for (int i = 0; i < CARRY_FUNCTIONS; i++)
        carry.functions[i] = dlsym(RTLD_NEXT, function_names[i]);
    bool is_on = remember();
    atomic_store_explicit(&carry.is_on, is_on, memory_order_release);
    if (!is_on)
        return;
    size_t n = 0, n_kept = 0;
    while (environ[n])
        n++;
    /* At the end of the environment they are wiped too, so that /proc/PID/environ ends before
     * them; in its middle that would hide what follows. */
    for (; n > 0 && is_to_go(environ[n - 1]); n--)
        memset(environ[n - 1], 0, strlen(environ[n - 1]));
    for (size_t i = 0; i < n; i++)
        if (!is_to_go(environ[i]))
            environ[n_kept++] = environ[i];
    environ[n_kept] = NULL;
}

/* A child that another thread starts at this very moment may get one of the two halfway written:
 * then the agent is not found, or not its folder, and the child runs without it. */
void carry_begin(const char *agent, const char *folder)
{
    for (int i = 0; i < CARRY_FUNCTIONS; i++)
        carry.functions[i] = real_symbol(function_names[i]);
    bool is_on = *agent == '/' &&
                 keep_entry(carry.preload_entry, sizeof carry.preload_entry, PRELOAD_IS, agent) &&
                 keep_entry(carry.folder_entry, sizeof carry.folder_entry, FOLDER_IS, folder);
    atomic_store_explicit(&carry.is_on, is_on, memory_order_release);
}

void carry_end(void)
{
    atomic_store_explicit(&carry.is_on, false, memory_order_release);
}

static bool is_carrying(void)
{
    return atomic_load_explicit(&carry.is_on, memory_order_acquire);
}

const char *carry_folder(void)
{
    return is_carrying() ? carry.folder_entry + strlen(FOLDER_IS) : NULL;
}

/* A constructor of another library may start a program before carry_hide has run. */
void *carry_real(enum carry_function function)
{
    void *known = carry.functions[function];
    return known ? known : dlsym(RTLD_NEXT, function_names[function]);
}

bool carry_is_ours(const char *entry)
{
    return entry == carry.preload_entry || entry == carry.folder_entry;
}

/* Counts the entries and finds the two that matter. The dynamic linker takes the last LD_PRELOAD of
 * several. */
static const char *find_variables(struct carry_plan *plan)
{
    const char *folder = NULL;
    for (; plan->envp && plan->envp[plan->n]; plan->n++) {
        const char *entry = plan->envp[plan->n];
        if (value_of(entry, PRELOAD_IS)) {
            plan->preload_at = plan->n;
            plan->preload = entry;
        } else if (value_of(entry, FOLDER_IS)) {
            folder = entry;
        }
    }
    return folder;
}

void carry_measure(struct carry_plan *plan, char *const *envp)
{
    *plan = (struct carry_plan){.envp = envp};
    if (!is_carrying())
        return;
    const char *folder = find_variables(plan);
    /* Another folder is another run of scalene, started by the program: its children are its own.
     */
    if (folder && strcmp(folder, carry.folder_entry) != 0)
        return;
    plan->adds_folder = !folder;
    plan->adds_preload = !plan->preload || !find_agent(value_of(plan->preload, PRELOAD_IS));
    if (!plan->adds_preload && !plan->adds_folder)
        return;
    plan->room_bytes = (plan->n + 3) * sizeof *envp;
    if (plan->adds_preload && plan->preload) {
        plan->preload_bytes = strlen(plan->preload);
        plan->room_bytes += strlen(carry.preload_entry) + plan->preload_bytes + 2;
    }
}

/* "LD_PRELOAD=<agent>:<theirs>", or the agent behind the first of theirs, where that is a
 * sanitizer. Even an empty list of theirs gets its separator, by which carry_hide knows that the
 * variable was set. */
static char *merge_preload(const struct carry_plan *plan, char *text)
{
    const char *theirs = plan->preload + strlen(PRELOAD_IS);
    size_t n_head = preload_head(theirs), n_ours = strlen(agent_path());
    char *to = mempcpy(text, plan->preload, strlen(PRELOAD_IS) + n_head);
    if (n_head)
        *to++ = ':';
    to = mempcpy(to, agent_path(), n_ours);
    if (!n_head)
        *to++ = ':';
    memcpy(to, theirs + n_head, strlen(theirs) + 1);
    return text;
}

/* carry_shell.c also has the array filled that other threads are using, as `room` and envp in one.
 * So the end is written first, and no entry that is there already is written again. */
char **carry_fill(const struct carry_plan *plan, void *room)
{
    char **slots = room;
    bool is_merged = plan->adds_preload && plan->preload;
    bool is_appended = plan->adds_preload && !plan->preload;
    size_t end = plan->n + is_appended + plan->adds_folder;
    __atomic_store_n(&slots[end], NULL, __ATOMIC_RELEASE);
    if (plan->adds_folder)
        __atomic_store_n(&slots[--end], carry.folder_entry, __ATOMIC_RELEASE);
    if (is_appended)
        __atomic_store_n(&slots[--end], carry.preload_entry, __ATOMIC_RELEASE);
    for (size_t i = 0; slots != plan->envp && i < plan->n; i++)
        slots[i] = plan->envp[i];
    if (is_merged)
        slots[plan->preload_at] = merge_preload(plan, (char *)&slots[plan->n + 3]);
    return slots;
}

void *carry_map(size_t bytes)
{
    long at =
        syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == -1 ? NULL : (void *)at;
}

void carry_unmap(void *room, size_t bytes)
{
    int saved = errno;
    syscall(SYS_munmap, room, bytes);
    errno = saved;
}
