/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of a process is made once, whoever comes in between.
 *
 * What a new ring begins with is not looked at here: the files that send it are stood in for by
 * functions that do nothing, or take the place of a tick. */
#include "agent/process.h"

#include "agent/agent.h"
#include "agent/control.h"
#include "agent/countdown.h"
#include "agent/emit.h"
#include "agent/modules.h"
#include "agent/peek.h"
#include "agent/scratch.h"
#include "agent/threads.h"
#include "agent/waits.h"

#include "../check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE_BYTES 4096u

static char folder[4096];
static struct control control = {.ring_bytes = 1u << 20};
static bool tick_comes_amid_the_making, tick_had_ring;
static unsigned n_ticks;

/* ---- in place of the rest of the agent ---- */

_Atomic uint32_t waits_own_wish;

static void nothing(void)
{
}
#define DOES_NOTHING __attribute__((alias("nothing")))
void waits_ring_closes(void) DOES_NOTHING;
void modules_send(void) DOES_NOTHING;
void modules_after_fork(void) DOES_NOTHING;
void scratch_after_fork(void) DOES_NOTHING;
void control_after_fork(void) DOES_NOTHING;
void countdown_after_fork(void) DOES_NOTHING;
void threads_after_fork(void) DOES_NOTHING;

uint64_t peek_let_faults_in(void)
{
    return 0;
}

void peek_keep_faults_out(uint64_t faults)
{
    (void)faults;
}

void waits_ring_opens(struct ring_header *header)
{
    (void)header;
}

bool emit_record(enum record_kind kind, uint16_t flags, const void *fixed, uint32_t fixed_bytes,
                 const struct record_string *strings, const void *const *texts, unsigned n_texts)
{
    (void)kind, (void)flags, (void)fixed, (void)fixed_bytes, (void)strings, (void)texts;
    return n_texts > 0;
}

static void tick(void)
{
    n_ticks++;
    tick_had_ring = process_ring_ready();
}

void threads_send(void)
{
    if (tick_comes_amid_the_making)
        tick();
}

/* ---- a process that has no ring ---- */

static void begin(void)
{
    process_begin_anew();
    process_facts.folder = folder;
    agent.control = &control;
    agent.pid = (uint32_t)getpid();
    atomic_store_explicit(&control.rings, 0, memory_order_relaxed);
    atomic_store_explicit(&control.refusal, REFUSAL_NONE, memory_order_relaxed);
    tick_comes_amid_the_making = tick_had_ring = false;
    n_ticks = 0;
}

static unsigned n_rings(void)
{
    return atomic_load_explicit(&control.rings, memory_order_relaxed);
}

/* Takes the files of the rings away; how many there were. */
static unsigned remove_files(void)
{
    char path[8192];
    unsigned n = 0;
    struct dirent *entry;
    DIR *files = opendir(folder);
    CHECK(files);
    while ((entry = readdir(files)))
        if (strncmp(entry->d_name, RING_FILE_PREFIX, strlen(RING_FILE_PREFIX)) == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            CHECK(unlink(path) == 0);
            n++;
        }
    closedir(files);
    return n;
}

static void ring_is_made_when_first_asked_for(void)
{
    begin();
    CHECK(process_ring_ready() && process_ring_ready());
    CHECK(agent.ring.header->pid == agent.pid && agent.ring.header->data_bytes == 1u << 20);
    CHECK(n_rings() == 1 && remove_files() == 1);
}

/* What it is about to sample is dropped; the one that makes the ring goes on. */
static void tick_amid_the_making_finds_no_ring(void)
{
    begin();
    tick_comes_amid_the_making = true;
    CHECK(process_ring_ready());
    CHECK(n_ticks == 1 && !tick_had_ring && n_rings() == 1 && remove_files() == 1);
}

/* ---- a tick at the worst moment ---- */

/* The linker's names for where the variables that begin as zero are. */
extern char __bss_start[], _end[];

static bool protect(int rights)
{
    uintptr_t low = (uintptr_t)__bss_start & ~(uintptr_t)(PAGE_BYTES - 1);
    return mprotect((void *)low, (uintptr_t)_end - low, rights) == 0;
}

static void fault_is_a_tick(int number)
{
    (void)number;
    if (!protect(PROT_READ | PROT_WRITE))
        _exit(2);
    tick();
}

/* The state of the ring can be read but not written: the first write, which is to say that it is
 * being made, faults after the state has been read. There a tick comes, and makes it. The same
 * happens in a forked child, where the first write to a page of the parent's takes the kernel long
 * enough for a tick to be due behind it. */
static void tick_that_makes_the_ring_in_between_takes_it_from_nobody(void)
{
    struct sigaction action = {.sa_handler = fault_is_a_tick}, before;
    begin();
    CHECK(sigaction(SIGSEGV, &action, &before) == 0);
    CHECK(protect(PROT_READ));
    bool has_ring = process_ring_ready();
    CHECK(sigaction(SIGSEGV, &before, NULL) == 0);
    CHECK(n_ticks == 1 && tick_had_ring && has_ring);
    CHECK(n_rings() == 1 && remove_files() == 1);
}

/* ---- no ring, and another's ---- */

static void ring_that_cannot_be_made_is_not_asked_for_again(void)
{
    begin();
    process_facts.folder = "/nowhere at all";
    CHECK(!process_ring_ready());
    CHECK(atomic_load_explicit(&control.refusal, memory_order_relaxed) == REFUSAL_NO_RING);
    process_facts.folder = folder;
    CHECK(!process_ring_ready() && !agent.ring.header && n_rings() == 0 && remove_files() == 0);
}

static void forked_child_makes_its_own_when_it_needs_one(void)
{
    int status;
    begin();
    CHECK(process_ring_ready());
    uint32_t generation = agent.generation;
    pid_t child = fork();
    if (child == 0) {
        process_after_fork();
        bool is_new = agent.generation != generation && agent.pid == (uint32_t)getpid();
        bool had_none = !agent.ring.header;
        _exit(is_new && had_none && process_ring_ready() && agent.ring.header->pid == agent.pid);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK(agent.ring.header->pid == (uint32_t)getpid() && remove_files() == 2);
}

int main(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/scalene-process-XXXXXX", place ? place : "/tmp");
    CHECK(mkdtemp(folder));
    RUN(ring_is_made_when_first_asked_for);
    RUN(tick_amid_the_making_finds_no_ring);
    RUN(tick_that_makes_the_ring_in_between_takes_it_from_nobody);
    RUN(ring_that_cannot_be_made_is_not_asked_for_again);
    RUN(forked_child_makes_its_own_when_it_needs_one);
    CHECK(rmdir(folder) == 0);
    return 0;
}
