/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of the JSON profile, in both of upstream's forms. */
#include "report/json_part.h"

#include <math.h>

static const char *frame_name(const struct json_context *c, const struct profile_frame *frame)
{
    const struct source *source = json_source(c, frame->path);
    if (!source || frame->line < 1)
        return frame->function;
    return outline_qualify(&source->outline, frame->function, (uint32_t)frame->line);
}

static double fraction(const struct json_context *c, double seconds)
{
    double total_s = json_seconds(&c->r->total);
    return total_s > 0 ? seconds / total_s : 0;
}

/* A stack's weight: its time, idle time included, in samples of average worth. Samples themselves
 * would not do: those of a burst are closer together than others. What was seen counts at least 1.
 */
static uint64_t weight(const struct json_context *c, const struct cost *cost)
{
    const struct cost *total = &c->r->total;
    double cpu_s = json_seconds(total) - total->idle_s;
    if (total->n_samples == 0 || cpu_s <= 0)
        return cost->n_samples + cost->n_looks;
    uint64_t n = (uint64_t)llround(json_seconds(cost) * (double)total->n_samples / cpu_s);
    return n ? n : cost->n_samples > 0;
}

static void write_fraction(struct json_context *c, const char *key, double seconds)
{
    write_key(&c->w, key);
    write_number(&c->w, fraction(c, seconds));
}

static void write_stack(struct json_context *c, const struct profile_stack *stack)
{
    struct arena texts = {0};
    write_open(&c->w, '[');
    write_open(&c->w, '[');
    for (size_t i = 0; i < stack->n_frames; i++) {
        const struct profile_frame *f = &stack->frames[i];
        write_text(&c->w, arena_printf(&texts, "%s %s:%d;", f->path, frame_name(c, f), f->line));
    }
    write_close(&c->w, ']');
    write_open(&c->w, '{');
    write_fraction(c, "c_time", stack->cost.native_s);
    write_key(&c->w, "count");
    write_count(&c->w, weight(c, &stack->cost));
    write_fraction(c, "cpu_samples", json_seconds(&stack->cost));
    write_key(&c->w, "is_cut");
    write_bool(&c->w, stack->is_cut);
    write_key(&c->w, "is_merged");
    write_bool(&c->w, stack->is_merged);
    write_fraction(c, "python_time", stack->cost.python_s);
    write_close(&c->w, '}');
    write_close(&c->w, ']');
    arena_fini(&texts);
}

void json_stacks(struct json_context *c)
{
    write_open(&c->w, '[');
    for (size_t i = 0; !c->o->has_no_stacks && i < c->r->n_stacks; i++) {
        write_break(&c->w);
        write_stack(c, &c->r->stacks[i]);
    }
    write_close(&c->w, ']');
}

static void write_frame(struct json_context *c, const struct profile_frame *frame)
{
    write_open(&c->w, '{');
    write_key(&c->w, "display_name");
    write_text(&c->w, frame_name(c, frame));
    write_key(&c->w, "filename_or_module");
    write_text(&c->w, frame->path);
    write_key(&c->w, "ip");
    write_null(&c->w);
    write_key(&c->w, "kind");
    write_text(&c->w, "py");
    write_key(&c->w, "line");
    write_count(&c->w, frame->line > 0 ? (uint64_t)frame->line : 0);
    write_key(&c->w, "offset");
    write_null(&c->w);
    write_close(&c->w, '}');
}

void json_frames(struct json_context *c, const struct profile_stack *stack)
{
    write_open(&c->w, '[');
    for (size_t i = 0; i < stack->n_frames; i++)
        write_frame(c, &stack->frames[i]);
    write_close(&c->w, ']');
}

void json_combined_stacks(struct json_context *c)
{
    write_open(&c->w, '[');
    for (size_t i = 0; !c->o->has_no_stacks && i < c->r->n_stacks; i++) {
        const struct profile_stack *stack = &c->r->stacks[i];
        write_break(&c->w);
        write_open(&c->w, '[');
        json_frames(c, stack);
        write_count(&c->w, weight(c, &stack->cost));
        write_close(&c->w, ']');
    }
    write_close(&c->w, ']');
}
