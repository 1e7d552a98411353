/* SPDX-License-Identifier: Apache-2.0 */
/* The rings of all processes of a run: found in the folder, drained in rounds, closed when their
 * process is gone and they are empty.
 *
 * In a round the records of all rings come in the order of time, as far as they have one: memory
 * that one process gives back before another asks for it is never counted twice. A process that
 * has ended since the last round ends after its last record. */
#ifndef SCALENE_COLLECT_RINGS_H
#define SCALENE_COLLECT_RINGS_H

#include "base/vec.h"
#include "collect/folder.h"
#include "collect/process.h"
#include "wire/ring.h"

#define RINGS_DONE UINT64_MAX

/* One process's ring. */
struct rings_item {
    struct ring ring;
    struct process process;
    uint32_t number;    /* of the process, from 0 in order of appearance */
    bool is_superseded; /* its process has started over by exec and made a newer ring */
    bool is_gone;       /* decided before the round's reading, so that empty then means all read */
    uint64_t
        round_bytes; /* left to read in this round: a fast writer must not hold up the others */
    uint64_t due_ns; /* when its next record was written; RINGS_DONE: not in this round */
};

struct rings {
    struct folder *folder; /* borrowed */
    vec_of(struct rings_item) open;
    size_t turn;          /* index of the ring whose turn it is; open.n: nobody's */
    uint64_t turn_ns;     /* its turn lasts until here, where the next one has a record */
    uint64_t round_ns;    /* later records, of processes that live on, wait for the next round */
    uint32_t n_processes; /* had a ring so far */
    uint32_t n_looked_at; /* control->rings when the folder was looked at last */
    bool is_closing;      /* all rings are taken as gone */
    bool is_filling;      /* a ring was more than a quarter full in this round */
    pid_t ended_pid;      /* whose RECORD_END came last; 0: of a process that lives on after exec */
    uint8_t *buffer;      /* owns; room for one record of any size */
};

void rings_open(struct rings *rings, struct folder *folder);
void rings_close(struct rings *rings);

/* Starts a round over all rings. The folder is looked at when an agent has announced a ring, or
 * when `is_forced`. */
void rings_begin_round(struct rings *rings, bool is_forced);
/* The next record of the round, valid until the next call; false: the round is over. When a
 * process is over the record is its RECORD_END. */
bool rings_next(struct rings *rings, uint32_t *process, const struct record_header **record);
/* Asks the agent of a process to tell of its waits itself. */
void rings_want_waits(struct rings *rings, uint32_t process);

#endif
