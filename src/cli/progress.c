/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that sleeps, and only speaks when the work beside it takes longer than it should. It is
 * there only on a terminal and only between the end of the program and the end of the work. */
#include "cli/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_S 1

/* Synchronization: `lock` guards all of it; the working thread writes, the speaking one reads. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    pthread_t thread;
    const char *what; /* NULL: the thread ends */
    bool is_running;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .has_changed = PTHREAD_COND_INITIALIZER};

static void *speak(void *unused)
{
    struct timespec until;
    int seconds = 0;
    (void)unused;
    pthread_mutex_lock(&progress.lock);
    clock_gettime(CLOCK_REALTIME, &until);
    for (const char *what = progress.what; progress.what;) {
        until.tv_sec += PATIENCE_S;
        pthread_cond_timedwait(&progress.has_changed, &progress.lock, &until);
        if (!progress.what)
            break;
        seconds = progress.what == what ? seconds + PATIENCE_S : 0;
        what = progress.what;
        if (seconds)
            fprintf(stderr, "\rscalene: %s, %d s\033[K", what, seconds);
        fflush(stderr);
    }
    if (seconds)
        fputs("\r\033[K", stderr);
    pthread_mutex_unlock(&progress.lock);
    return NULL;
}

/* Signals are for the thread that handles them. */
static bool start(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = pthread_create(&progress.thread, NULL, speak, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

void progress_show(const char *what)
{
    if (!isatty(STDERR_FILENO))
        return;
    pthread_mutex_lock(&progress.lock);
    progress.what = what;
    pthread_cond_signal(&progress.has_changed);
    pthread_mutex_unlock(&progress.lock);
    if (what && !progress.is_running) {
        progress.is_running = start();
    } else if (!what && progress.is_running) {
        pthread_join(progress.thread, NULL);
        progress.is_running = false;
    }
}
