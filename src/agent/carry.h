/* SPDX-License-Identifier: Apache-2.0 */
/* The two environment variables that load the agent: hidden from the program, carried into every
 * child it starts.
 *
 * carry.c knows the variables, carry_exec.c puts them back around exec and spawn, carry_shell.c
 * around system and popen, which read the environment inside libc. */
#ifndef SCALENE_AGENT_CARRY_H
#define SCALENE_AGENT_CARRY_H

#include <stdbool.h>
#include <stddef.h>

/* Takes our variables out of `environ` and remembers them; without them in there it does nothing
 * and nothing is carried. Once, before main and before any other thread. Context: boot */
void carry_hide(void);

/* The same in a process that has loaded us while it ran: from now on its children are given `agent`
 * in LD_PRELOAD and `folder`, until carry_end. Nothing stands in `environ`. Context: boot */
void carry_begin(const char *agent, const char *folder);
void carry_end(void);

/* The folder of control and rings; NULL: this process does not run under scalene.
 * Context: signal | hook | any thread */
const char *carry_folder(void);

/* The functions of libc behind our hooks. */
enum carry_function {
    CARRY_EXECVE,
    CARRY_EXECVPE,
    CARRY_FEXECVE,
    CARRY_POSIX_SPAWN,
    CARRY_POSIX_SPAWNP,
    CARRY_SYSTEM,
    CARRY_POPEN,
    CARRY_FUNCTIONS,
};
/* Context: signal | hook | any thread */
void *carry_real(enum carry_function function);

/* What an environment needs in order to carry the agent. It is measured once and filled by what
 * was measured, for another thread may change `environ` between the two. */
struct carry_plan {
    char *const *envp;    /* borrowed from the caller; NULL is an empty environment */
    size_t n;             /* its entries */
    size_t preload_at;    /* index of the LD_PRELOAD that counts, where there is one */
    const char *preload;  /* that entry as it was met; NULL: there is none */
    size_t preload_bytes; /* its length */
    bool adds_preload, adds_folder;
    size_t room_bytes; /* what carry_fill needs; 0: the environment will do as it is */
};

/* Context: hook */
void carry_measure(struct carry_plan *plan, char *const *envp);
/* The environment with our variables in it, made in `room`; ours come last, or in the place of the
 * LD_PRELOAD that was there. The entries themselves are not copied. Context: hook */
char **carry_fill(const struct carry_plan *plan, void *room);
/* Whether an entry of an environment is one of the two constant ones that carry_fill adds.
 * Context: hook */
bool carry_is_ours(const char *entry);

/* Memory for what is too large for the stack, by the bare system call: our own mmap hook must not
 * see it. NULL: errno says why. Context: hook */
void *carry_map(size_t bytes);
/* Keeps errno. Context: hook */
void carry_unmap(void *room, size_t bytes);

#endif
