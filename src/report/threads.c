/* SPDX-License-Identifier: Apache-2.0 */
/* "threads": who worked and who waited for what, when there is more than one. */
#include "report/text_part.h"
#include "report/waits.h"

#include "base/vec.h"

#include <stdio.h>
#include <string.h>

#define LEAST_PART   0.01 /* of the wall time: who worked less is not named */
#define MOST_THREADS 5u
#define NAME_COLUMNS 24u
#define INDENT       3u
#define KINDS_SHOWN  3u

struct worker {
    const char *name;
    double cpu_s, waits_s[WAIT_KINDS];
};
typedef vec_of(struct worker) workers;

static int by_cpu(const void *left, const void *right)
{
    const struct worker *a = left, *b = right;
    if (a->cpu_s != b->cpu_s)
        return a->cpu_s > b->cpu_s ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void read_workers(workers *all, const struct view *v)
{
    const json_t *about = json_object_get(v->profile, "scalene"), *process, *thread;
    size_t i, k;
    json_array_foreach(json_object_get(about, "processes"), i, process)
    {
        json_array_foreach(json_object_get(process, "threads"), k, thread)
        {
            struct worker *worker = vec_push(all);
            worker->name = view_text(thread, "name");
            worker->cpu_s = view_number(thread, "cpu_seconds");
            waits_read(worker->waits_s, json_object_get(thread, "waits"));
        }
    }
}

/* "1.20 s of CPU, waited gil 800 ms, sleep 90 ms": the longest waits first. */
static void describe(char *text, size_t room, const struct worker *worker, double least_s)
{
    char number[TEXT_BYTES];
    double waits_s[WAIT_KINDS];
    memcpy(waits_s, worker->waits_s, sizeof waits_s);
    size_t n = (size_t)snprintf(text, room, "%s of CPU", text_seconds(number, worker->cpu_s));
    for (unsigned i = 0; i < KINDS_SHOWN; i++) {
        enum wait_kind kind = waits_largest(waits_s, WAITS_ALL);
        if (waits_s[kind] <= least_s || n + TEXT_BYTES > room)
            break;
        n += (size_t)snprintf(text + n, room - n, ", %s%s %s", i == 0 ? "waited: " : "",
                              waits_name(kind), text_seconds(number, waits_s[kind]));
        waits_s[kind] = 0;
    }
}

static void print_worker(struct screen *s, const struct worker *worker, double least_s)
{
    char text[8 * TEXT_BYTES];
    describe(text, sizeof text, worker, least_s);
    screen_blanks(s, INDENT);
    size_t used = screen_put(s, worker->name, strlen(worker->name), NAME_COLUMNS, NULL, PAINT_NAME);
    screen_blanks(s, NAME_COLUMNS - used + 2);
    screen_put(s, text, strlen(text), s->columns - INDENT - NAME_COLUMNS - 2, NULL, PAINT_PLAIN);
    screen_newline(s);
}

static void print_others(struct screen *s, const struct worker *others, size_t n)
{
    char number[TEXT_BYTES], count[TEXT_BYTES], text[4 * TEXT_BYTES];
    double cpu_s = 0;
    for (size_t i = 0; i < n; i++)
        cpu_s += others[i].cpu_s;
    snprintf(text, sizeof text, "and %s %s: %s of CPU", text_count(count, n),
             n == 1 ? "other" : "others", text_seconds(number, cpu_s));
    screen_blanks(s, INDENT);
    screen_text(s, PAINT_DIM, text);
    screen_newline(s);
}

void threads_print(struct screen *s, const struct view *v)
{
    workers all = {0};
    size_t n = 0;
    read_workers(&all, v);
    if (all.n > 1)
        qsort(all.items, all.n, sizeof *all.items, by_cpu);
    while (n < all.n && n < MOST_THREADS && *all.items[n].name &&
           all.items[n].cpu_s > LEAST_PART * v->elapsed_s)
        n++;
    if (n > 1) {
        screen_newline(s);
        screen_text(s, PAINT_DIM, "threads");
        screen_newline(s);
        for (size_t i = 0; i < n; i++)
            print_worker(s, &all.items[i], LEAST_PART * v->elapsed_s);
        if (n < all.n)
            print_others(s, all.items + n, all.n - n);
    }
    vec_fini(&all);
}
