/* SPDX-License-Identifier: Apache-2.0 */
/* The ring in shared memory between one target process (many writers) and the collector (one
 * reader), and the control block through which the collector speaks to its agents.
 *
 * A ring is a file of one header page and a data area of a power of two bytes; the data area is
 * mapped twice in a row, so a record never has to be split at the end.
 *
 * Writing: reserve by advancing `head` (compare and swap), fill in everything but the header word,
 * then store the header word with release order. Reading: a header word of zero is a record not
 * finished yet; the reader takes finished records in order, zeroes what it took, then advances
 * `tail` with release order. A full ring drops the newest record and counts it. A writer that dies
 * between reserving and finishing leaves a zero word: the reader stops there, which only happens
 * when the whole process has died.
 *
 * Pages: most processes write little, so a ring has pages for its beginning only, and the writer
 * gets more ahead of need. It gets them by a system call that may fail, never by writing: a page
 * that cannot be had would be a SIGBUS in the target. Where memory is scarce the pages behind the
 * reader are given back for those ahead:
 *
 *     stream   0 ....... low ============== limit ....... UINT64_MAX when the whole file has pages
 *                           tail ... head
 */
#ifndef SCALENE_WIRE_RING_H
#define SCALENE_WIRE_RING_H

#include "wire/record.h"

#include <stdatomic.h>
#include <stdbool.h>

#define RING_MAGIC        0x31474e4952434c53ull /* "SLCRING1" */
#define RING_HEADER_BYTES 4096u
#define RING_RECORD_MAX   (256u * 1024u)

struct ring_header {
    /* Written once by the agent before the collector may look; `magic` last, with release order. */
    _Atomic uint64_t magic;
    uint32_t version;
    uint32_t data_bytes;    /* a power of two */
    uint32_t pid;           /* as /proc has it, which may still be that of outside */
    uint32_t own_pid;       /* as the process itself has it */
    uint64_t pid_namespace; /* in which it has that; 0: not known */
    /* Not zero: waits are told from inside. Writers: the collector, once it has found that it may
     * not look, and the agent, where it knows beforehand. Readers: the target's threads. */
    _Atomic uint32_t wants_waits;
    /* Bytes that may be in use at once where memory is scarce; 0: all of them. Writer: the target.
     * Reader: the collector, to know when to hurry. */
    _Atomic uint32_t scarce_bytes;
    /* Writers: any thread of the target. Reader: the collector. */
    _Alignas(64) _Atomic uint64_t head;
    /* Writer: the collector. Readers: the target's threads, to know how much room there is. */
    _Alignas(64) _Atomic uint64_t tail;
    /* Writers: any thread of the target, relaxed. Reader: the collector, at the end. */
    _Alignas(64) _Atomic uint64_t counters[RING_COUNTERS];
};
static_assert(sizeof(struct ring_header) <= RING_HEADER_BYTES, "the header has one page");

struct ring {
    struct ring_header *header; /* borrowed: the mapping of whoever opened it */
    uint8_t *data;              /* 2 * data_bytes, the second half the first again */
    uint64_t mask;              /* data_bytes - 1 */
    /* Writing end: bytes [low, limit) of the stream have pages. Written by who holds is_extending,
     * `limit` with release order; read by every writer. */
    _Atomic uint64_t low, limit;
    _Atomic bool is_extending;
};

/* Maps `fd`, a file of ring_file_bytes(data_bytes) bytes. False: errno says why. Context: any
 * thread */
bool ring_map(struct ring *ring, int fd, uint32_t data_bytes);
void ring_unmap(struct ring *ring);
/* Says that only the first `bytes` (a power of two) have pages so far. False: this kernel cannot
 * get more of them later. Context: as ring_map */
bool ring_starts_with(struct ring *ring, uint64_t bytes);
/* How many bytes may be in use at once. Context: any */
static inline uint64_t ring_room(const struct ring *ring)
{
    uint32_t scarce = atomic_load_explicit(&ring->header->scarce_bytes, memory_order_relaxed);
    return scarce && scarce <= ring->mask ? scarce : ring->mask + 1;
}

static inline uint64_t ring_file_bytes(uint32_t data_bytes)
{
    return (uint64_t)RING_HEADER_BYTES + data_bytes;
}

/* Room for a record of `size` bytes (a multiple of 8), or NULL when the ring is full or the record
 * too large; the caller fills it and calls ring_finish. Context: signal | hook | any thread */
void *ring_reserve(struct ring *ring, uint32_t size);
/* Publishes a reserved record: nothing of it may be touched afterwards. */
void ring_finish(void *record, uint16_t kind, uint16_t flags, uint32_t size);
void ring_count(struct ring *ring, enum ring_counter counter, uint64_t n);

/* Takes the next finished record out of the ring into `buffer`, which has room for RING_RECORD_MAX
 * bytes: its size, or 0 when there is none. The copy is made before anything is believed, for the
 * target can scribble on shared memory at any time; one that wrote nonsense makes *is_broken true
 * and the ring yields nothing more. Context: collector */
uint32_t ring_read(struct ring *ring, void *buffer, bool *is_broken);
/* The moment of the record that ring_read would take, 0 when its kind has none; false: there is no
 * finished record. Only a hint: the target can change it before it is read. Context: collector */
bool ring_peek_time(const struct ring *ring, uint64_t *time_ns);

/* The control block: a file the collector makes before the target starts; every agent of the
 * process tree maps it read-write. */
#define CONTROL_MAGIC    0x314c525443434c53ull /* "SLCCTRL1" */
#define CONTROL_ENV      "SCALENE_AGENT"       /* "<folder>" of control and rings */
#define CONTROL_FILE     "control"             /* its name in that folder */
#define RING_FILE_PREFIX "ring-"               /* rings are "ring-<pid>-<time_ns>" */

enum control_refusal {
    REFUSAL_NONE,
    REFUSAL_NO_RUN_MAIN,     /* no Py_RunMain: older than 3.8, or a program that embeds Python */
    REFUSAL_UNKNOWN_VERSION, /* a CPython this agent has no layout for */
    REFUSAL_NO_RING,         /* no room or no right to make a ring */
};

/* What somebody outside asks of the collector (collect/request.h). */
enum control_request {
    REQUEST_NONE,
    REQUEST_ON,
    REQUEST_OFF,
    REQUEST_DUMP, /* write the profile as it is now */
    REQUEST_END,  /* take the program as ended: its own agent asks for its profile */
};

/* How the collector learns of waits. */
enum control_waits {
    WAITS_NOT_WANTED,
    WAITS_OUTSIDE,             /* it looks, and may look into every process */
    WAITS_OUTSIDE_IF_DUMPABLE, /* it looks, but not into those the kernel guards */
    WAITS_INSIDE,              /* it cannot look at all: agents tell from the start */
};

struct control {
    uint64_t magic;
    uint32_t version;
    uint32_t ring_bytes;    /* data_bytes of each ring, a power of two */
    uint32_t period_ns;     /* wanted sampling period */
    uint32_t old_period_ns; /* of threads that have been sampled a few hundred times */
    uint32_t memory_mean;   /* bytes between two memory samples at the densest; 0: no memory */
    /* The switch of the whole tree. Writer: the collector, n_switches last, with release order. An
     * agent that finds the number changed takes the state over; it may have another one meanwhile,
     * for a program switches its own process only. */
    _Atomic uint32_t n_switches;
    _Atomic uint32_t is_off;
    _Atomic uint64_t switch_ns; /* CLOCK_MONOTONIC */
    /* What a process that begins finds: as the tree was switched, or the first process was. */
    _Atomic uint32_t begins_off;
    _Atomic uint32_t first_pid;
    uint32_t collector_pid;
    uint32_t gives_profile; /* the program takes the builtin name `profile` for granted */
    /* Requests, one at a time: whoever asks holds a lock on the folder, writes `request`, then
     * counts n_requests up (release); the collector answers, then sets n_answered to it (release).
     */
    _Atomic uint32_t request; /* enum control_request */
    _Atomic uint32_t n_requests, n_answered;
    uint32_t is_refused; /* the answer: it could not be done, and `answer` says why */
    char answer[1024];   /* where the profile is, or one sentence */
    /* Counted up by an agent when its ring can be opened; the collector looks at the folder then.
     */
    _Atomic uint32_t rings;
    /* Set by an agent that found a Python it cannot measure; 0: none was met. */
    _Atomic uint32_t refusal;            /* enum control_refusal */
    _Atomic uint32_t refused_hexversion; /* of that Python, 0 when not even that is known */
    uint32_t waits;                      /* enum control_waits */
    uint32_t is_mean_fixed;              /* memory samples do not become rarer in a fast program */
    /* The library as the children of the target must preload it, a zero-ended path. */
    char agent_path[1024];
};

#endif
