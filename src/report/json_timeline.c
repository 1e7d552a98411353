/* SPDX-License-Identifier: Apache-2.0 */
/* Whose time, and when: what the page needs to show a thread, a process or a stretch of the run
 * alone. Rows are short arrays of whole numbers, times in microseconds, for there are many. */
#include "report/json_part.h"
#include "report/waits.h"

#include <math.h>

static const char *const kinds[] = {
    [KIND_PYTHON] = "python",
    [KIND_NATIVE] = "native",
    [KIND_SYSTEM] = "system",
    [KIND_IDLE] = "idle",
};

static void write_index(struct json_context *c, uint32_t i)
{
    if (i == PROFILE_NONE)
        write_null(&c->w);
    else
        write_count(&c->w, i);
}

static void write_microseconds(struct json_context *c, double seconds)
{
    write_count(&c->w, seconds > 0 ? (uint64_t)llround(seconds * 1e6) : 0);
}

/* [slice, site, kind, microseconds, samples or looks]; of the rest, without the site. */
static void write_cells(struct json_context *c, const struct profile_cell *cells, size_t n,
                        bool is_rest)
{
    write_open(&c->w, '[');
    for (size_t i = 0; i < n; i++) {
        write_open(&c->w, '[');
        write_index(c, cells[i].slice);
        if (!is_rest)
            write_index(c, cells[i].site);
        write_count(&c->w, cells[i].kind);
        write_microseconds(c, cells[i].seconds);
        if (!is_rest)
            write_count(&c->w, cells[i].n_seen);
        write_close(&c->w, ']');
    }
    write_close(&c->w, ']');
}

/* [site, kind, microseconds] */
static void write_waits(struct json_context *c, const struct profile_part *part)
{
    write_open(&c->w, '[');
    for (size_t i = 0; i < part->n_waits; i++) {
        write_open(&c->w, '[');
        write_index(c, part->waits[i].site);
        write_text(&c->w, waits_name(part->waits[i].kind));
        write_microseconds(c, part->waits[i].seconds);
        write_close(&c->w, ']');
    }
    write_close(&c->w, ']');
}

static void write_part(struct json_context *c, const struct profile_part *part)
{
    write_break(&c->w);
    write_open(&c->w, '{');
    write_key(&c->w, "cells");
    write_cells(c, part->cells, part->n_cells, false);
    write_key(&c->w, "cpu_seconds");
    write_number(&c->w, part->cpu_s);
    write_key(&c->w, "name");
    write_text(&c->w, part->name ? part->name : "");
    write_key(&c->w, "outside_seconds");
    write_number(&c->w, part->outside_s);
    write_key(&c->w, "process");
    write_index(c, part->process);
    write_key(&c->w, "rest");
    write_cells(c, part->rest, part->n_rest, true);
    write_key(&c->w, "threads");
    write_count(&c->w, part->n_threads);
    write_key(&c->w, "waits");
    write_waits(c, part);
    write_close(&c->w, '}');
}

/* [file, line, first line of the function, stack] */
static void write_site(struct json_context *c, const struct profile_site *site)
{
    write_open(&c->w, '[');
    write_index(c, site->file);
    write_count(&c->w, site->line > 0 ? (uint64_t)site->line : 0);
    write_count(&c->w, site->function_line > 0 ? (uint64_t)site->function_line : 0);
    write_index(c, c->o->has_no_stacks ? PROFILE_NONE : site->stack);
    write_close(&c->w, ']');
}

void json_timeline(struct json_context *c)
{
    const struct profile_timeline *timeline = &c->r->timeline;
    write_open(&c->w, '{');
    write_key(&c->w, "files");
    write_open(&c->w, '[');
    for (size_t i = 0; i < c->r->n_files; i++)
        write_text(&c->w, c->r->files[i].path);
    write_close(&c->w, ']');
    write_key(&c->w, "kinds");
    write_open(&c->w, '[');
    for (size_t i = 0; i < PROFILE_KINDS; i++)
        write_text(&c->w, kinds[i]);
    write_close(&c->w, ']');
    write_key(&c->w, "length_seconds");
    write_number(&c->w, timeline->length_s);
    write_key(&c->w, "parts");
    write_open(&c->w, '[');
    for (size_t i = 0; i < timeline->n_parts; i++)
        write_part(c, &timeline->parts[i]);
    write_close(&c->w, ']');
    write_key(&c->w, "sites");
    write_open(&c->w, '[');
    for (size_t i = 0; i < timeline->n_sites; i++)
        write_site(c, &timeline->sites[i]);
    write_close(&c->w, ']');
    write_key(&c->w, "slice_seconds");
    write_number(&c->w, timeline->slice_s);
    write_key(&c->w, "slices");
    write_count(&c->w, timeline->n_slices);
    write_close(&c->w, '}');
}
