/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for another process or thread. */
#include "calls.h"

/* ---- other processes ---- */

static pid_t a_child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        nap(3 * LONG_NS);
        _exit(7);
    }
    return pid;
}
int call_wait(void)
{
    int status;
    pid_t pid = a_child();
    return wait(&status) == pid && WEXITSTATUS(status) == 7 ? 0 : 1;
}
int call_waitpid(void)
{
    pid_t pid = a_child();
    return waitpid(pid, NULL, 0) == pid ? 0 : 1;
}
int call_wait3(void)
{
    pid_t pid = a_child();
    return wait3(NULL, 0, NULL) == pid ? 0 : 1;
}
int call_wait4(void)
{
    pid_t pid = a_child();
    return wait4(pid, NULL, 0, NULL) == pid ? 0 : 1;
}
int call_waitid(void)
{
    siginfo_t info;
    return waitid(P_PID, (id_t)a_child(), &info, WEXITED);
}
int call_system(void)
{
    return system("sleep 0.3");
}
int call_pclose(void)
{
    return pclose(popen("sleep 0.3", "w"));
}

/* ---- other threads ---- */

static void rest(void)
{
}
int call_pthread_join(void)
{
    later(rest);
    return pthread_join(helper, NULL);
}
int call_pthread_timedjoin(void)
{
    later(rest);
    struct timespec end = soon(CLOCK_REALTIME);
    end.tv_sec += 30;
    return pthread_timedjoin_np(helper, NULL, &end);
}
static int help_thrd(void *unused)
{
    let_it_wait();
    return unused ? 1 : 3;
}
int call_thrd_join(void)
{
    thrd_t thread;
    int result = 0;
    thrd_create(&thread, help_thrd, NULL);
    return thrd_join(thread, &result) == thrd_success && result == 3 ? 0 : 1;
}

static sem_t semaphore, is_held;

static void post(void)
{
    sem_post(&semaphore);
}
int call_sem_wait(void)
{
    sem_init(&semaphore, 0, 0);
    later(post);
    return done(sem_wait(&semaphore) == 0);
}
int call_sem_timedwait(void)
{
    struct timespec end = soon(CLOCK_REALTIME);
    sem_init(&semaphore, 0, 0);
    return sem_timedwait(&semaphore, &end) == -1 && errno == ETIMEDOUT ? 0 : 1;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;

static void *hold_both(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    sem_post(&is_held);
    let_it_wait();
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&mutex);
    return unused;
}
static void others_hold_both(void)
{
    sem_init(&is_held, 0, 0);
    pthread_create(&helper, NULL, hold_both, NULL);
    while (sem_trywait(&is_held) != 0)
        nap(1000000);
}
int call_pthread_mutex_lock(void)
{
    others_hold_both();
    int result = pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return done(result == 0);
}
int call_pthread_mutex_timedlock(void)
{
    struct timespec end = soon(CLOCK_REALTIME);
    end.tv_sec += 30;
    others_hold_both();
    int result = pthread_mutex_timedlock(&mutex, &end);
    pthread_mutex_unlock(&mutex);
    return done(result == 0);
}
int call_pthread_rwlock_rdlock(void)
{
    others_hold_both();
    int result = pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    return done(result == 0);
}
int call_pthread_rwlock_wrlock(void)
{
    others_hold_both();
    int result = pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    return done(result == 0);
}
static void wait_at_barrier(void)
{
    pthread_barrier_wait(&barrier);
}
int call_pthread_barrier_wait(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    later(wait_at_barrier);
    int result = pthread_barrier_wait(&barrier);
    return done(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
}
static void wake(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}
int call_pthread_cond_wait(void)
{
    pthread_mutex_lock(&mutex);
    later(wake);
    int result = pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return done(result == 0);
}
int call_pthread_cond_timedwait(void)
{
    struct timespec end = soon(CLOCK_REALTIME);
    pthread_mutex_lock(&mutex);
    int result = pthread_cond_timedwait(&condition, &mutex, &end);
    pthread_mutex_unlock(&mutex);
    return result == ETIMEDOUT ? 0 : 1;
}
