/* SPDX-License-Identifier: Apache-2.0 */
/* Who waited for the GIL while who held it, in the JSON profile. */
#include "report/json_part.h"

static void write_place(struct json_context *c, const struct profile_place *place)
{
    if (!place->path) {
        write_null(&c->w);
        return;
    }
    write_open(&c->w, '{');
    write_key(&c->w, "file");
    write_text(&c->w, place->path);
    write_key(&c->w, "line");
    write_count(&c->w, place->line > 0 ? (uint64_t)place->line : 0);
    write_close(&c->w, '}');
}

void json_gil(struct json_context *c)
{
    write_open(&c->w, '[');
    for (size_t i = 0; i < c->r->n_gil; i++) {
        const struct profile_gil *pair = &c->r->gil[i];
        write_break(&c->w);
        write_open(&c->w, '{');
        write_key(&c->w, "holder");
        write_place(c, &pair->holder);
        write_key(&c->w, "is_other");
        write_bool(&c->w, pair->is_other);
        write_key(&c->w, "seconds");
        write_number(&c->w, pair->seconds);
        write_key(&c->w, "waiter");
        write_place(c, &pair->waiter);
        write_close(&c->w, '}');
    }
    write_close(&c->w, ']');
}
