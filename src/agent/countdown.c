/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/countdown.h"

#include "agent/agent.h"
#include "agent/clock.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "agent/safe.h"

#define PIECE_MAX (1u << 20)
#define COPY_MEAN (1u << 20)
#define MEAN_MAX  ((uint64_t)64 << 20)
#define ASLEEP    (1u << 14) /* bytes between two looks whether measuring has begun */
#define RATE      10000      /* samples a second; more dense than that the mean grows */
#define BURST     20000      /* samples a quiet program has saved up, or a busy one may owe */
#define WINDOW_NS 20000000   /* how often the rate is looked at */
/* And after so many samples at the latest: five times what a window may have. */
#define WINDOW_SAMPLES 1000

__thread struct countdown_thread countdown_thread;

static _Atomic bool is_on;
/* The mean for new gaps. Written by whoever looks at the rate, read at every slow path. */
static _Atomic uint64_t mean_now;
static uint64_t mean_floor;
static _Atomic uint32_t floor_factor = 1;
static _Atomic uint64_t window_start_ns, window_samples;
static _Atomic int64_t tokens;

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

/* The natural logarithm of x in (0, 1], to 1e-7: by exponent and a series for the rest, since the
 * agent has no libm. */
static double logarithm(double x)
{
    union {
        double number;
        uint64_t bits;
    } u = {x};
    int exponent = (int)(u.bits >> 52) - 1023;
    u.bits = (u.bits & 0xfffffffffffffull) | (uint64_t)1023 << 52;
    double m = u.number;
    if (m > 1.4142135623730951) {
        m /= 2;
        exponent++;
    }
    double y = (m - 1) / (m + 1), z = y * y;
    double series = 1 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9))));
    return exponent * 0.6931471805599453 + 2 * y * series;
}

static uint64_t draw(uint64_t mean)
{
    double u = (double)((random_word() >> 11) + 1) * (1.0 / 9007199254740992.0);
    return (uint64_t)(-logarithm(u) * (double)mean);
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

static uint64_t mean_of(enum memory_domain domain)
{
    return domain == MEMORY_COPIED ? COPY_MEAN
                                   : atomic_load_explicit(&mean_now, memory_order_relaxed);
}

static void wake(struct countdown_thread *t)
{
    t->is_awake = true;
    t->tid = (uint32_t)syscall(SYS_gettid);
    t->random = (clock_now_ns() * 0x9e3779b97f4a7c15ull ^ (uint64_t)t->tid << 32) | 1;
    random_word();
    for (int d = 0; d < MEMORY_DOMAINS; d++) {
        t->domains[d].mean = mean_of((enum memory_domain)d);
        begin_piece(&t->domains[d], draw(t->domains[d].mean));
    }
}

void countdown_sleep(enum memory_domain domain)
{
    struct countdown *c = &countdown_thread.domains[domain];
    c->left = c->piece = ASLEEP;
    countdown_thread.is_awake = false;
}

void countdown_publish(void)
{
    struct countdown_thread *t = &countdown_thread;
    for (int d = 0; d < MEMORY_DOMAINS && t->is_awake; d++) {
        struct countdown *c = &t->domains[d];
        if (c->left > c->piece)
            continue; /* a hook is at work on it */
        agent_count((enum ring_counter)(COUNTER_PYTHON_BYTES + d), c->piece - c->left);
        c->piece = c->left;
    }
}

void countdown_thin_out(uint32_t factor)
{
    if (atomic_load_explicit(&floor_factor, memory_order_relaxed) != factor)
        atomic_store_explicit(&floor_factor, factor, memory_order_relaxed);
}

/* ---- the rate ---- */

static uint64_t within_bounds(uint64_t mean)
{
    uint64_t floor = mean_floor * atomic_load_explicit(&floor_factor, memory_order_relaxed);
    uint64_t most = mean_floor > MEAN_MAX ? mean_floor : MEAN_MAX;
    mean = mean < floor ? floor : mean;
    return mean > most ? most : mean;
}

/* Too many samples a second make the mean grow, few let it shrink back to the floor, once the time
 * has passed that those too many were worth. */
static void watch_rate(uint64_t now)
{
    uint64_t n = atomic_fetch_add_explicit(&window_samples, 1, memory_order_relaxed);
    uint64_t start = atomic_load_explicit(&window_start_ns, memory_order_relaxed);
    uint64_t length = now - start;
    if ((length < WINDOW_NS && n < WINDOW_SAMPLES) ||
        !atomic_compare_exchange_strong_explicit(&window_start_ns, &start, now,
                                                 memory_order_relaxed, memory_order_relaxed))
        return;
    atomic_store_explicit(&window_samples, 0, memory_order_relaxed);
    double allowed = RATE * 1e-9 * (double)length, excess = (double)n / allowed;
    int64_t saved =
        atomic_load_explicit(&tokens, memory_order_relaxed) + (int64_t)allowed - (int64_t)n;
    saved = saved > BURST ? BURST : saved < -BURST ? -BURST : saved;
    atomic_store_explicit(&tokens, saved, memory_order_relaxed);
    uint64_t mean = atomic_load_explicit(&mean_now, memory_order_relaxed);
    if (excess > 1.25 && saved <= 0)
        mean = (uint64_t)((double)mean * (excess > 8 ? 8 : excess));
    else if (excess < 0.5 && saved >= 0)
        mean = (uint64_t)((double)mean * (excess < 0.0625 ? 0.0625 : excess));
    atomic_store_explicit(&mean_now, within_bounds(mean), memory_order_relaxed);
}

enum countdown_verdict countdown_over(enum memory_domain domain, uint64_t n, uint64_t *mean)
{
    struct countdown_thread *t = &countdown_thread;
    struct countdown *c = &t->domains[domain];
    uint64_t before = c->left + n; /* what was left when the bytes came */
    if (!countdown_is_on()) {
        countdown_sleep(domain);
        return COUNTDOWN_NOT_SAMPLED;
    }
    if (!t->is_awake) {
        wake(t);
        before = c->left;
    }
    *mean = c->mean;
    agent_count((enum ring_counter)(COUNTER_PYTHON_BYTES + domain), c->piece - before + n);
    uint64_t gap = before + c->rest;
    enum countdown_verdict verdict = n >= c->mean ? COUNTDOWN_EXACT
                                     : gap >= n   ? COUNTDOWN_NOT_SAMPLED
                                                  : COUNTDOWN_SAMPLED;
    if (verdict == COUNTDOWN_NOT_SAMPLED)
        gap -= n;
    else if (verdict == COUNTDOWN_SAMPLED)
        gap = draw(c->mean);
    if (verdict != COUNTDOWN_NOT_SAMPLED) {
        t->sampled_ns = clock_now_ns();
        watch_rate(t->sampled_ns);
    }
    /* The distribution has no memory: a gap may be drawn anew at any time. */
    if (mean_of(domain) != c->mean) {
        c->mean = mean_of(domain);
        gap = draw(c->mean);
    }
    begin_piece(c, gap);
    return verdict;
}

void countdown_pass(enum memory_domain domain)
{
    struct countdown *c = &countdown_thread.domains[domain];
    if (!countdown_is_on()) {
        countdown_sleep(domain);
        return;
    }
    if (!countdown_thread.is_awake)
        wake(&countdown_thread);
    c->mean = mean_of(domain);
    begin_piece(c, draw(c->mean));
}

void countdown_start(uint64_t floor)
{
    mean_floor = floor;
    atomic_store_explicit(&mean_now, floor, memory_order_relaxed);
    atomic_store_explicit(&tokens, BURST, memory_order_relaxed);
    atomic_store_explicit(&window_samples, 0, memory_order_relaxed);
    atomic_store_explicit(&window_start_ns, clock_now_ns(), memory_order_relaxed);
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
    if (countdown_is_on())
        wake(&countdown_thread);
}
