/* SPDX-License-Identifier: Apache-2.0 */
/* A process as its records describe it. */
#ifndef SCALENE_ANALYZE_PROCESS_H
#define SCALENE_ANALYZE_PROCESS_H

#include "analyze/code.h"
#include "analyze/filter.h"
#include "analyze/heap.h"
#include "analyze/judge.h"
#include "analyze/pool.h"
#include "analyze/thread.h"

struct process {
    struct record_process record; /* without its strings */
    bool is_described;            /* its RECORD_PROCESS was seen */
    const char *cwd, *executable;
    const char *const *arguments;
    const char *code;    /* of python -c, or NULL */
    const char *version; /* sys.version; NULL: no interpreter seen */
    struct filter_places places;
    struct judge judge;
    struct codes codes;
    vec_of(struct thread) threads; /* in order of appearance, those that are over too */
    struct map thread_ids;         /* tid -> index plus one of the latest thread of that number */
    struct map thread_idents;      /* ident -> index plus one of the latest thread that has it */
    bool is_over;                  /* its RECORD_END was seen */
    uint64_t last_time_ns;         /* latest moment in any record before that */
    uint64_t off_since_ns;         /* measuring is off since then; 0: it is on */
    uint64_t off_ns;               /* how long it was off before */
    uint64_t total_cpu_ns;         /* by RECORD_END; 0: unknown */
    uint64_t counters[RING_COUNTERS];
    uint64_t n_samples;
    uint32_t part;     /* of threads nobody told of; 0: there was none */
    double outside_ns; /* of threads that are over: time on no line */
    double idle_ns;    /* no thread ran; lines and outside */
    double outside_idle_ns;
    struct inside inside;
    struct pools pools;              /* of threads that are over */
    uint64_t n_waits, n_blind_waits; /* records; without a place, for we may not look */
    struct heap heap;
    struct heap_sums memory;
};

/* The latest thread of a number, NULL when there is none. The address is good until the next
 * process_new_thread. */
struct thread *process_thread(const struct process *process, uint32_t tid);
struct thread *process_new_thread(struct process *process, uint32_t tid, uint64_t cpu_ns);
/* Tells what threading.get_ident() is in a thread. */
void process_name_thread(struct process *process, struct thread *thread, uint64_t ident);
/* The latest thread with an ident, NULL when there is none. */
const struct thread *process_thread_named(const struct process *process, uint64_t ident);
const struct thread *process_main_thread(const struct process *process);
void process_saw_time(struct process *process, uint64_t time_ns);
/* Measuring is switched. */
void process_switch(struct process *process, uint64_t time_ns, bool is_off);
/* Wall time in which it was measured, up to the latest record. */
uint64_t process_measured_ns(const struct process *process);
void process_fini(struct process *process);

#endif
