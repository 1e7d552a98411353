/* SPDX-License-Identifier: Apache-2.0 */
/* Where records come from: a program that is started and followed, or a recording of such a run.
 *
 *     while (collect_next(c, &process, &record))
 *         profile_add(profile, process, record);
 *
 * The first record is always RECORD_RUN; the last one of every process is a RECORD_END. */
#ifndef SCALENE_COLLECT_COLLECT_H
#define SCALENE_COLLECT_COLLECT_H

#include "base/err.h"
#include "wire/record.h"
#include "wire/ring.h"

#include <sys/types.h>

struct collect;

/* What RECORD_RUN tells the stages after us. Everything is borrowed for the call only. */
struct collect_run {
    const char *program;
    const char *entry_folder;
    const char *program_path;
    const char *const *arguments; /* NULL-ended */
    uint32_t memory_mean;         /* bytes between memory samples at the densest; 0: no memory */
    bool is_mean_fixed;           /* however fast the program allocates */
};

/* Moments at which all records made so far have been yielded: what is to be done then. */
struct collect_pause {
    bool (*is_due)(void *context); /* asked after each round */
    /* `request`: what was asked for from outside, REQUEST_NONE if nothing was. Its answer is what
     * is written into `e`: a sentence if it fails, where the profile is if it does not. */
    bool (*act)(void *context, enum control_request request, struct err *e);
    void *context;
};

struct collect_launch {
    const char *const *argv; /* NULL-ended; argv[0] is the file to execute, not looked up */
    const char *agent_path;  /* libscalene.so; NULL: start the program without an agent */
    uint32_t period_ns;      /* wanted sampling period */
    uint32_t old_period_ns;  /* of threads that ran for long; 0: the same */
    uint32_t ring_bytes;     /* room in each ring, a power of two; 0: COLLECT_RING_BYTES */
    const char *record_path; /* NULL: no recording */
    bool is_watched;         /* look for waits and idle time, too */
    bool gives_profile;      /* the program uses @profile and does not define it */
    bool is_off;             /* begin with measuring switched off */
    struct collect_pause pause;
    struct collect_run run;
};

/* A ring is read every tenth of a second: this is room for 40 MiB of records a second. */
#define COLLECT_RING_BYTES (4u * 1024u * 1024u)

/* Starts the program and returns at once. */
bool collect_start(struct collect **collect, const struct collect_launch *launch, struct err *e);
/* Follows a process that runs already, until it ends or asks for its profile (REQUEST_END). Its own
 * agent begins when the program calls it with the folder. Signals to us are heard and ignored. */
bool collect_follow(struct collect **collect, pid_t pid, const struct collect_launch *launch,
                    struct err *e);
const char *collect_folder(const struct collect *collect);
/* A request that waits for the end of all records, and its answer. */
enum control_request collect_pending(const struct collect *collect);
void collect_answer(struct collect *collect, bool is_done, const char *text);
/* Opens a recording in place of a live program. */
bool collect_replay(struct collect **collect, const char *path, struct err *e);

/* The next record and the number of its process, counted from 0 in order of appearance; valid
 * until the next call. Sleeps while there is none; false when all is over. While it runs it also
 * forwards signals and follows the program when that is stopped and continued. */
bool collect_next(struct collect *collect, uint32_t *process, const struct record_header **record);

/* Whether the program is over, and what comes are the last records; true for a recording. */
bool collect_has_ended(const struct collect *collect);
/* How the program ended, as from waitpid; 0 for a recording. */
int collect_wait_status(const struct collect *collect);
/* How many processes had a ring (or appear in the recording). */
uint32_t collect_processes(const struct collect *collect);
/* Why an agent refused to measure, and the hexversion of the Python it met (0: unknown). */
enum control_refusal collect_refusal(const struct collect *collect, uint32_t *hexversion);
/* One sentence about what went wrong without ending the run: a recording that is cut off or could
 * not be written to the end. NULL: nothing. */
const char *collect_trouble(const struct collect *collect);
/* CPU seconds this process has used itself. */
double collect_own_cpu_s(void);

/* Ends everything, removes the private folder and gives the signals back. Does not end the
 * program: one that is still running goes on without us. */
void collect_close(struct collect *collect);

#endif
