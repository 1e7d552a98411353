/* SPDX-License-Identifier: Apache-2.0 */
/* The `scalene` object of the JSON profile: how the numbers came about and how far to trust them.
 */
#include "report/json_part.h"
#include "report/waits.h"

/* What was lost, by reason. */
static const struct {
    const char *key;
    enum ring_counter counter;
} drops[] = {
    {"agent_busy", COUNTER_DROPPED_BUSY},
    {"bad_frame", COUNTER_BAD_FRAME},
    {"code_table_full", COUNTER_CODE_TABLE_FULL},
    {"memory_fault", COUNTER_FAULTS},
    {"no_timer", COUNTER_NO_TIMER},
    {"ring_full", COUNTER_DROPPED_RING_FULL},
    {"unwind_failed", COUNTER_UNWIND_FAILED},
};

static const char *const seen[] = {
    [SEEN_NOT] = "not",
    [SEEN_OUTSIDE] = "outside",
    [SEEN_INSIDE] = "inside",
    [SEEN_WITHOUT_LINES] = "outside without lines",
};

static uint64_t counter_sum(const struct profile_result *r, enum ring_counter counter)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->n_processes; i++)
        sum += r->processes[i].counters[counter];
    return sum;
}

static void write_drops(struct json_context *c)
{
    write_open(&c->w, '{');
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++) {
        write_key(&c->w, drops[i].key);
        write_count(&c->w, counter_sum(c->r, drops[i].counter));
    }
    write_close(&c->w, '}');
}

static void write_named_number(struct json_context *c, const char *key, double value)
{
    write_key(&c->w, key);
    write_number(&c->w, value);
}

static void write_named_count(struct json_context *c, const char *key, uint64_t value)
{
    write_key(&c->w, key);
    write_count(&c->w, value);
}

static void write_named_text(struct json_context *c, const char *key, const char *text)
{
    write_key(&c->w, key);
    if (text)
        write_text(&c->w, text);
    else
        write_null(&c->w);
}

static void write_thread(struct json_context *c, const struct profile_thread *thread)
{
    write_open(&c->w, '{');
    write_named_number(c, "cpu_seconds", thread->cpu_s);
    write_named_count(c, "ident", thread->ident);
    write_key(&c->w, "main");
    write_bool(&c->w, thread->is_main);
    write_named_text(c, "name", thread->name ? thread->name : "");
    write_key(&c->w, "native");
    write_bool(&c->w, thread->is_native);
    write_named_count(c, "part", thread->part);
    write_named_count(c, "samples", thread->n_samples);
    write_named_count(c, "tid", thread->tid);
    write_key(&c->w, "waits");
    waits_write(&c->w, thread->waits_s);
    write_close(&c->w, '}');
}

static uint64_t samples_of(const struct profile_process *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->n_threads; i++)
        sum += p->threads[i].n_samples;
    return sum;
}

static void write_process(struct json_context *c, const struct profile_process *p)
{
    write_open(&c->w, '{');
    write_key(&c->w, "argv");
    write_open(&c->w, '[');
    for (const char *const *a = p->arguments; a && *a; a++)
        write_text(&c->w, *a);
    write_close(&c->w, ']');
    write_named_number(c, "cpu_seconds", p->cpu_s);
    write_named_text(c, "executable", p->executable);
    write_named_number(c, "idle_seconds", p->idle_s);
    write_key(&c->w, "memory");
    json_process_memory(c, &p->memory);
    write_named_number(c, "outside_idle_seconds", p->outside_idle_s);
    write_named_number(c, "outside_seconds", p->outside_s);
    write_named_count(c, "parent_pid", p->parent_pid);
    write_named_number(c, "period_reached_seconds", p->period_reached_s);
    write_named_count(c, "pid", p->pid);
    write_named_text(c, "python_version", p->python_version);
    write_named_count(c, "samples", samples_of(p));
    write_named_number(c, "start_time_absolute", p->start_realtime_s);
    write_key(&c->w, "threads");
    write_open(&c->w, '[');
    for (size_t i = 0; i < p->n_threads; i++)
        write_thread(c, &p->threads[i]);
    write_close(&c->w, ']');
    write_named_number(c, "total_cpu_seconds", p->total_cpu_s);
    write_named_text(c, "waits_seen", seen[p->waits_seen]);
    write_named_number(c, "wall_seconds", p->measured_s);
    write_close(&c->w, '}');
}

static void write_processes(struct json_context *c)
{
    write_open(&c->w, '[');
    for (size_t i = 0; i < c->r->n_processes; i++) {
        write_break(&c->w);
        write_process(c, &c->r->processes[i]);
    }
    write_close(&c->w, ']');
}

static void write_interpreter(struct json_context *c)
{
    static const struct profile_process none;
    const struct profile_process *first = c->r->n_processes ? &c->r->processes[0] : &none;
    write_open(&c->w, '{');
    write_named_text(c, "build", first->python_build);
    write_named_text(c, "executable", first->executable);
    write_named_text(c, "version", first->python_version);
    write_close(&c->w, '}');
}

static double period_reached_s(const struct profile_result *r)
{
    double cpu_s = 0;
    for (size_t i = 0; i < r->n_processes; i++)
        cpu_s += r->processes[i].cpu_s;
    return r->n_samples ? cpu_s / (double)r->n_samples : 0;
}

void json_run(struct json_context *c)
{
    const struct profile_result *r = c->r;
    write_open(&c->w, '{');
    double handler_s = (double)counter_sum(r, COUNTER_HANDLER_NS) / 1e9;
    write_named_number(c, "agent_cpu_seconds", handler_s);
    write_named_number(c, "collector_cpu_seconds", c->o->collector_cpu_s);
    write_named_number(c, "cpu_seconds_native", r->total.native_s);
    write_named_number(c, "cpu_seconds_python", r->total.python_s);
    write_named_number(c, "cpu_seconds_system", r->total.system_s);
    write_named_count(c, "cpus", r->n_processes ? r->processes[0].n_cpus : 0);
    write_key(&c->w, "drops");
    write_drops(c);
    write_named_text(c, "engine", c->o->engine ? c->o->engine : "");
    write_key(&c->w, "gil");
    json_gil(c);
    write_named_count(c, "idle_looks", r->total.n_looks);
    write_named_number(c, "idle_seconds", r->total.idle_s);
    write_key(&c->w, "interpreter");
    write_interpreter(c);
    write_key(&c->w, "memory");
    json_memory(c);
    write_named_number(c, "outside_idle_seconds", r->outside_idle_s);
    write_named_number(c, "outside_seconds", r->outside_s);
    write_named_number(c, "period_asked_seconds",
                       r->n_processes ? r->processes[0].period_asked_s : 0);
    write_named_number(c, "period_reached_seconds", period_reached_s(r));
    write_key(&c->w, "processes");
    write_processes(c);
    write_named_count(c, "samples", r->n_samples);
    write_named_count(c, "samples_even", r->n_even);
    write_named_count(c, "schema_version", REPORT_SCHEMA_VERSION);
    write_break(&c->w);
    write_key(&c->w, "timeline");
    json_timeline(c);
    write_named_count(c, "unknown_records", r->n_unknown_records);
    write_named_text(c, "version", c->o->version ? c->o->version : SCALENE_VERSION);
    write_key(&c->w, "waits");
    waits_write(&c->w, r->waits_s);
    write_named_text(c, "waits_seen", seen[r->waits_seen]);
    write_close(&c->w, '}');
}
