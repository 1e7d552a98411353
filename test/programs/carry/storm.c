/* SPDX-License-Identifier: Apache-2.0 */
/* Calls system and popen while other threads use the environment: storm read|overwrite|add. Exits
 * with 0 when nobody met anything but what the threads themselves have put there.
 *
 * Only what works bare is asked for: libc lets threads read and overwrite variables at any time,
 * but a new variable may move the array, so those come while a shell is running, not being started.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLERS 4
#define CALLS   20
#define ADDED   50

static atomic_bool is_over;
static atomic_int n_wrong;

static bool is_set(const char *name, const char *value)
{
    const char *got = getenv(name);
    return got && strcmp(got, value) == 0;
}

static void *call(void *unused)
{
    (void)unused;
    for (int i = 0; i < CALLS; i++) {
        FILE *stream = i % 2 ? popen("exit 0", "r") : NULL;
        n_wrong += stream ? pclose(stream) != 0 : system("exit 7") != 7 << 8;
    }
    return NULL;
}

static void *read_always(void *unused)
{
    (void)unused;
    while (!is_over)
        n_wrong += !is_set("STORM_FIXED", "0");
    return NULL;
}

static void *overwrite(void *unused)
{
    (void)unused;
    for (int i = 0; !is_over; i++) {
        const char *value = i % 2 ? "odd" : "even";
        setenv("STORM_CHANGED", value, 1);
        usleep(100);
        n_wrong += !is_set("STORM_CHANGED", value);
    }
    return NULL;
}

static void storm(void *(*bystander)(void *))
{
    pthread_t callers[CALLERS], other;
    pthread_create(&other, NULL, bystander, NULL);
    for (int i = 0; i < CALLERS; i++)
        pthread_create(&callers[i], NULL, call, NULL);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    is_over = true;
    pthread_join(other, NULL);
}

/* A shell that says when it runs and ends when it is told to: by descriptors 8 and 9. */
static void *call_and_wait(void *unused)
{
    (void)unused;
    n_wrong += system("echo >&9; read line <&8; exit 7") != 7 << 8;
    return NULL;
}

static void add_while_a_shell_runs(void)
{
    int started[2], go[2];
    char name[32], byte;
    pthread_t caller;
    n_wrong += pipe(started) || pipe(go) || dup2(go[0], 8) != 8 || dup2(started[1], 9) != 9;
    pthread_create(&caller, NULL, call_and_wait, NULL);
    n_wrong += read(started[0], &byte, 1) != 1;
    for (int i = 0; i < ADDED; i++) {
        snprintf(name, sizeof name, "STORM_%d", i);
        setenv(name, "1", 1);
    }
    setenv("STORM_CHANGED", "last", 1);
    n_wrong += write(go[1], "\n", 1) != 1;
    pthread_join(caller, NULL);
    n_wrong += !is_set("STORM_CHANGED", "last");
    for (int i = 0; i < ADDED; i++) {
        snprintf(name, sizeof name, "STORM_%d", i);
        n_wrong += !is_set(name, "1");
        unsetenv(name);
    }
}

static size_t n_variables(void)
{
    size_t n = 0;
    while (environ[n])
        n++;
    return n;
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    setenv("STORM_FIXED", "0", 1);
    setenv("STORM_CHANGED", "0", 1);
    size_t n_before = n_variables();
    n_wrong += system("exit 7") != 7 << 8;
    if (strcmp(what, "read") == 0)
        storm(read_always);
    else if (strcmp(what, "overwrite") == 0)
        storm(overwrite);
    else if (strcmp(what, "add") == 0)
        for (int i = 0; i < 3; i++)
            add_while_a_shell_runs();
    else
        return 2;
    if (n_variables() == n_before && n_wrong == 0)
        return 0;
    printf("%d wrong, %zu variables of %zu\n", n_wrong, n_variables(), n_before);
    return 1;
}
