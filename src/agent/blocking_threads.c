/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for another thread. A lock that is free is taken at once: only who has to wait
 * for it takes the time. */
#include "agent/blocking.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "agent/safe.h"

#define WAIT_ON(name, parameters, arguments)                                                       \
    HOOK(int, name, waits_begin_condition(condition),                                              \
         waits_end_condition(&call, result == ETIMEDOUT), parameters, arguments)
/* TRY takes the lock if it is free. */
#define LOCK(name, try, parameters, arguments)                                                     \
    static int(*real_##name) parameters;                                                           \
    AGENT_EXPORT int name parameters;                                                              \
    AGENT_EXPORT int name parameters                                                               \
    {                                                                                              \
        if (__builtin_expect(!real_##name, 0))                                                     \
            blocking_find((void **)&real_##name, #name);                                           \
        if (!waits_are_told())                                                                     \
            return real_##name arguments;                                                          \
        int result = try;                                                                          \
        if (result != EBUSY)                                                                       \
            return result;                                                                         \
        struct waits_call call = waits_begin(WAIT_LOCK);                                           \
        result = real_##name arguments;                                                            \
        waits_end(&call);                                                                          \
        return result;                                                                             \
    }

typedef pthread_mutex_t *mutex_in;
typedef pthread_rwlock_t *rwlock_in;

/* ---- semaphores and ends of threads ---- */

WAIT(int, sem_wait, WAIT_LOCK, (sem_t * semaphore), (semaphore))
WAIT(int, sem_timedwait, WAIT_LOCK,
     (sem_t *restrict semaphore, const struct timespec *restrict end), (semaphore, end))
WAIT(int, sem_clockwait, WAIT_LOCK,
     (sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict end),
     (semaphore, clock, end))
WAIT(int, pthread_join, WAIT_LOCK, (pthread_t thread, void **result_of), (thread, result_of))
WAIT(int, pthread_timedjoin_np, WAIT_LOCK, (pthread_t thread, void **result_of, time_in end),
     (thread, result_of, end))
WAIT(int, pthread_clockjoin_np, WAIT_LOCK,
     (pthread_t thread, void **result_of, clockid_t clock, time_in end),
     (thread, result_of, clock, end))
WAIT(int, pthread_barrier_wait, WAIT_LOCK, (pthread_barrier_t * barrier), (barrier))
WAIT(int, thrd_join, WAIT_LOCK, (unsigned long thread, int *result_of), (thread, result_of))

/* ---- locks ---- */

LOCK(pthread_mutex_lock, pthread_mutex_trylock(mutex), (mutex_in mutex), (mutex))
LOCK(pthread_mutex_timedlock, pthread_mutex_trylock(mutex),
     (pthread_mutex_t *restrict mutex, const struct timespec *restrict end), (mutex, end))
LOCK(pthread_mutex_clocklock, pthread_mutex_trylock(mutex),
     (pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict end),
     (mutex, clock, end))
LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock(lock), (rwlock_in lock), (lock))
LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock(lock), (rwlock_in lock), (lock))
LOCK(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock(lock),
     (pthread_rwlock_t *restrict lock, const struct timespec *restrict end), (lock, end))
LOCK(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock(lock),
     (pthread_rwlock_t *restrict lock, const struct timespec *restrict end), (lock, end))

/* ---- conditions ---- */

WAIT_ON(pthread_cond_wait, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex),
        (condition, mutex))
WAIT_ON(pthread_cond_timedwait,
        (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
         const struct timespec *restrict end),
        (condition, mutex, end))
WAIT_ON(pthread_cond_clockwait,
        (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
         const struct timespec *restrict end),
        (condition, mutex, clock, end))
