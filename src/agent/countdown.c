/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/countdown.h"

#include "agent/agent.h"
#include "agent/clock.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "agent/safe.h"

#define PIECE_MAX (1u << 20)
#define COPY_MEAN (1u << 20)
/* Bytes between two looks whether measuring has begun: twice as many each time, up to a piece. */
#define ASLEEP (1u << 14)
/* Debt is paid off after so many samples, or when so much time has passed. */
#define PAY_SAMPLES 64u
#define PAY_NS      5000000u
#define DOUBLE_NS   3000000u /* so much debt makes the mean twice as large */
#define DOUBLES_MAX 14u      /* from 4 KiB to 64 MiB */
#define DEBT_MAX_NS (100000000u + DOUBLES_MAX * DOUBLE_NS)
/* What the clock of a sample does not see: the collector's work on its record, and the program's
 * cache lines that it takes. The former alone was measured to be this. */
#define ELSEWHERE_NS 500u

/* A hundredth of the time goes to samples; and a program of half a second that does nothing but
 * allocate spends some 20 ms until the mean has followed, which is less than a twentieth. */
struct limits {
    double share;     /* of the time that pays off debt */
    uint32_t free_ns; /* debt that leaves the mean as it is */
};
static const struct limits ADAPTIVE = {0.01, 2000000}, FIXED = {0.1, 100000000};

__thread struct countdown_thread countdown_thread;

static _Atomic bool is_on;
/* Constant while memory is measured. */
static struct limits limits;
static uint64_t mean_floor;
static _Atomic uint32_t floor_factor = 1;
static _Atomic uint32_t debt_ns;
/* When it was last paid off, and how many samples there were since. */
static _Atomic uint64_t paid_ns;
static _Atomic uint32_t n_unpaid;
/* Bytes that were counted before the process had a ring for the sums. */
static _Atomic uint64_t early_bytes[MEMORY_DOMAINS];
static _Atomic bool was_off; /* measuring was switched off since: that time pays nothing */

bool countdown_is_on(void)
{
    return atomic_load_explicit(&is_on, memory_order_acquire);
}

/* ---- random gaps ---- */

/* xorshift64*: fast, and good enough for gaps. */
static uint64_t random_word(void)
{
    uint64_t x = countdown_thread.random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    countdown_thread.random = x;
    return x * 0x2545f4914f6cdd1dull;
}

static uint64_t random_below(uint64_t n)
{
    return (uint64_t)((unsigned __int128)random_word() * n >> 64);
}

/* From one sampled byte to the next: from (mean + 1) / 2 to 3/2 mean, on average the mean. */
static uint64_t draw_distance(uint64_t mean)
{
    return (mean + 1 + random_below(2 * mean)) / 2;
}

/* The bytes before the next one that is sampled, for somebody who comes at any time. All up to half
 * of the mean are alike, and from there on the fewer the more likely, as is the smaller one of two
 * numbers. */
static uint64_t draw_gap(uint64_t mean)
{
    if (random_word() >> 63)
        return random_below(mean / 2 + 1);
    uint64_t a = random_below(mean), b = random_below(mean);
    return mean / 2 + (a < b ? a : b);
}

/* The bytes before the next sample when `passed` bytes have come since the last: what is behind the
 * sampled byte in its block. */
static uint64_t draw_next(uint64_t mean, uint64_t passed)
{
    if (passed > 2 * mean) /* the mean is much smaller than it was */
        return draw_gap(mean);
    uint64_t distance = draw_distance(mean);
    while (distance <= passed)
        distance += draw_distance(mean);
    return distance - passed - 1;
}

/* ---- pieces ---- */

static void begin_piece(struct countdown *c, uint64_t gap)
{
    /* Shorter than the mean, so that a block of the mean's very size runs it out, too. */
    uint64_t piece = (c->mean < PIECE_MAX ? c->mean : PIECE_MAX) - 1;
    piece = gap < piece ? gap : piece;
    c->left = c->piece = piece;
    c->rest = gap - piece;
}

/* The mean for new gaps. Between two doublings it grows evenly. */
static uint64_t mean_of(enum memory_domain domain)
{
    if (domain == MEMORY_COPIED)
        return COPY_MEAN; /* memory is only so fast: no more than some 10,000 a second */
    uint64_t mean = mean_floor * atomic_load_explicit(&floor_factor, memory_order_relaxed);
    uint32_t owed_ns = atomic_load_explicit(&debt_ns, memory_order_relaxed);
    owed_ns = owed_ns > limits.free_ns ? owed_ns - limits.free_ns : 0;
    if (owed_ns > DOUBLES_MAX * DOUBLE_NS)
        owed_ns = DOUBLES_MAX * DOUBLE_NS;
    mean <<= owed_ns / DOUBLE_NS;
    return mean + mean * (owed_ns % DOUBLE_NS) / DOUBLE_NS;
}

/* The count begins here and now. */
static void draw_anew(struct countdown *c, enum memory_domain domain)
{
    c->mean = mean_of(domain);
    begin_piece(c, draw_gap(c->mean));
}

static void wake(struct countdown_thread *t)
{
    t->is_awake = true;
    t->tid = (uint32_t)syscall(SYS_gettid);
    t->random = (clock_now_ns() * 0x9e3779b97f4a7c15ull ^ (uint64_t)t->tid << 32) | 1;
    random_word();
    for (int d = 0; d < MEMORY_DOMAINS; d++)
        draw_anew(&t->domains[d], (enum memory_domain)d);
}

void countdown_sleep(enum memory_domain domain)
{
    struct countdown *c = &countdown_thread.domains[domain];
    uint64_t piece = countdown_thread.is_awake || c->piece < ASLEEP ? ASLEEP : 2 * c->piece;
    c->left = c->piece = piece < PIECE_MAX ? piece : PIECE_MAX;
    countdown_thread.is_awake = false;
}

/* Adds to the totals, which are in the ring; a child of a fork has none before its first sample. */
static void count_bytes(enum memory_domain domain, uint64_t n)
{
    if (!agent.ring.header)
        atomic_fetch_add_explicit(&early_bytes[domain], n, memory_order_relaxed);
    else if (atomic_load_explicit(&early_bytes[domain], memory_order_relaxed))
        n += atomic_exchange_explicit(&early_bytes[domain], 0, memory_order_relaxed);
    agent_count((enum ring_counter)(COUNTER_PYTHON_BYTES + domain), n);
}

void countdown_publish(void)
{
    struct countdown_thread *t = &countdown_thread;
    for (int d = 0; d < MEMORY_DOMAINS && t->is_awake; d++) {
        struct countdown *c = &t->domains[d];
        if (c->left > c->piece)
            continue; /* a hook is at work on it */
        count_bytes((enum memory_domain)d, c->piece - c->left);
        c->piece = c->left;
    }
}

void countdown_thin_out(uint32_t factor)
{
    if (atomic_load_explicit(&floor_factor, memory_order_relaxed) != factor)
        atomic_store_explicit(&floor_factor, factor, memory_order_relaxed);
}

/* ---- the rate ---- */

/* What time has paid off. CPU time counts, so that samples cost the same part of it on a crowded
 * machine; of a program that waits a sixteenth of the time does; and wall time bounds it, for all
 * threads pay into one purse, and the collector is one. */
static uint32_t earned_ns(uint64_t now_ns, uint64_t since_ns)
{
    uint64_t cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t wall = now_ns - since_ns, busy = cpu_ns - countdown_thread.cpu_ns + wall / 16;
    countdown_thread.cpu_ns = cpu_ns;
    double earned = (double)(wall < busy ? wall : busy) * limits.share;
    return earned < DEBT_MAX_NS ? (uint32_t)earned : DEBT_MAX_NS;
}

static void pay_off(uint64_t now_ns)
{
    uint64_t since_ns = atomic_load_explicit(&paid_ns, memory_order_relaxed);
    bool is_time = now_ns > since_ns + PAY_NS ||
                   atomic_load_explicit(&n_unpaid, memory_order_relaxed) >= PAY_SAMPLES;
    if (!is_time || now_ns <= since_ns ||
        !atomic_compare_exchange_strong_explicit(&paid_ns, &since_ns, now_ns, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    atomic_store_explicit(&n_unpaid, 0, memory_order_relaxed);
    uint32_t paid = earned_ns(now_ns, since_ns);
    if (atomic_exchange_explicit(&was_off, false, memory_order_relaxed))
        return;
    uint32_t owed = atomic_load_explicit(&debt_ns, memory_order_relaxed), rest;
    do {
        rest = owed > DEBT_MAX_NS ? DEBT_MAX_NS : owed;
        rest = rest > paid ? rest - paid : 0;
    } while (!atomic_compare_exchange_weak_explicit(&debt_ns, &owed, rest, memory_order_relaxed,
                                                    memory_order_relaxed));
}

/* ---- verdicts ---- */

/* A block is sampled: the time, and what time has paid off by now. */
static void note_sample(struct countdown_thread *t, enum memory_domain domain)
{
    t->sampled_ns = clock_now_ns();
    if (domain == MEMORY_COPIED)
        return;
    atomic_fetch_add_explicit(&n_unpaid, 1, memory_order_relaxed);
    pay_off(t->sampled_ns);
}

void countdown_owe(uint32_t spent_ns)
{
    atomic_fetch_add_explicit(&debt_ns, spent_ns + ELSEWHERE_NS, memory_order_relaxed);
}

/* No sample: if the mean is far from what it is for others by now, what is left of the gap grows or
 * shrinks as it did. */
static uint64_t follow_mean(struct countdown *c, enum memory_domain domain, uint64_t gap)
{
    uint64_t mean = mean_of(domain);
    if (mean <= 2 * c->mean && c->mean <= 2 * mean)
        return gap;
    gap = (uint64_t)((double)gap * (double)mean / (double)c->mean);
    c->mean = mean;
    return gap;
}

/* The count ran out by n bytes, and was at `before` when they came. */
static enum countdown_verdict verdict_of(const struct countdown *c, uint64_t before, uint64_t n)
{
    if (n >= c->mean)
        return COUNTDOWN_EXACT;
    return before + c->rest >= n ? COUNTDOWN_NOT_SAMPLED : COUNTDOWN_SAMPLED;
}

/* After that verdict: the next piece of the gap, or of the next gap. */
static void go_on(struct countdown *c, enum memory_domain domain, uint64_t before, uint64_t n,
                  enum countdown_verdict verdict)
{
    uint64_t gap = before + c->rest;
    if (verdict == COUNTDOWN_SAMPLED) {
        c->mean = mean_of(domain);
        gap = draw_next(c->mean, n - gap - 1);
    } else {
        gap = follow_mean(c, domain, verdict == COUNTDOWN_EXACT ? gap : gap - n);
    }
    begin_piece(c, gap);
}

/* What was left of the piece when the n bytes came; a thread that is new here begins with them. */
static uint64_t left_before(struct countdown *c, uint64_t n)
{
    if (countdown_thread.is_awake)
        return c->left + n;
    wake(&countdown_thread);
    return c->left;
}

enum countdown_verdict countdown_over(enum memory_domain domain, uint64_t n, uint64_t *mean)
{
    struct countdown *c = &countdown_thread.domains[domain];
    if (!countdown_is_on()) {
        countdown_sleep(domain);
        return COUNTDOWN_NOT_SAMPLED;
    }
    uint64_t before = left_before(c, n);
    *mean = c->mean;
    count_bytes(domain, c->piece - before + n);
    enum countdown_verdict verdict = verdict_of(c, before, n);
    if (verdict != COUNTDOWN_NOT_SAMPLED)
        note_sample(&countdown_thread, domain);
    else if (c->mean > mean_floor && domain != MEMORY_COPIED)
        pay_off(clock_read_ns(CLOCK_MONOTONIC_COARSE));
    go_on(c, domain, before, n, verdict);
    return verdict;
}

void countdown_pass(enum memory_domain domain, uint64_t n)
{
    struct countdown *c = &countdown_thread.domains[domain];
    if (!countdown_is_on()) {
        countdown_sleep(domain);
        return;
    }
    uint64_t before = left_before(c, n);
    if (!atomic_load_explicit(&was_off, memory_order_relaxed))
        atomic_store_explicit(&was_off, true, memory_order_relaxed);
    go_on(c, domain, before, n, verdict_of(c, before, n));
}

void countdown_begin(void)
{
    struct countdown_thread *t = &countdown_thread;
    for (int d = 0; d < MEMORY_DOMAINS && t->is_awake && !t->is_busy; d++)
        draw_anew(&t->domains[d], (enum memory_domain)d);
}

void countdown_start(uint64_t floor, bool is_fixed)
{
    mean_floor = floor;
    limits = is_fixed ? FIXED : ADAPTIVE;
    atomic_store_explicit(&debt_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&n_unpaid, 0, memory_order_relaxed);
    atomic_store_explicit(&paid_ns, clock_now_ns(), memory_order_relaxed);
    atomic_store_explicit(&is_on, true, memory_order_release);
    wake(&countdown_thread);
}

void countdown_stop(void)
{
    atomic_store_explicit(&is_on, false, memory_order_release);
}

void countdown_after_fork(void)
{
    countdown_thread.is_busy = false;
    countdown_thread.cpu_ns = 0; /* that clock begins anew */
    for (int d = 0; d < MEMORY_DOMAINS; d++)
        atomic_store_explicit(&early_bytes[d], 0, memory_order_relaxed);
    if (countdown_is_on())
        wake(&countdown_thread);
}
