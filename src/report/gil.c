/* SPDX-License-Identifier: Apache-2.0 */
/* "GIL": which lines waited for the interpreter's lock while which held it, when it mattered. */
#include "report/text_part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_PART   0.05 /* of the wall time: less than this is no bottleneck */
#define LEAST_PAIR   0.1  /* of all waiting for the GIL */
#define MOST_PAIRS   3u
#define PLACE_BYTES  256
#define LABEL_INDENT 3u

/* "line 40", with its file where there are several. */
static void describe_place(char text[PLACE_BYTES], const struct view *v, const json_t *place)
{
    unsigned line = (unsigned)fmin(UINT32_MAX, view_number(place, "line"));
    if (!json_is_object(place))
        snprintf(text, PLACE_BYTES, "code elsewhere");
    else if (v->files.n <= 1)
        snprintf(text, PLACE_BYTES, "line %u", line);
    else
        snprintf(text, PLACE_BYTES, "%.200s:%u", view_short_path(v, view_text(place, "file")),
                 line);
}

static void print_pair(struct screen *s, const struct view *v, const json_t *pair)
{
    char waiter[PLACE_BYTES], holder[PLACE_BYTES], seconds[TEXT_BYTES], text[3 * PLACE_BYTES];
    describe_place(waiter, v, json_object_get(pair, "waiter"));
    describe_place(holder, v, json_object_get(pair, "holder"));
    snprintf(text, sizeof text, "%s waited %s for the GIL held by %s", waiter,
             text_seconds(seconds, view_number(pair, "seconds")), holder);
    screen_blanks(s, LABEL_INDENT);
    screen_put(s, text, strlen(text), s->columns - LABEL_INDENT, NULL, PAINT_PLAIN);
    screen_newline(s);
}

void gil_print(struct screen *s, const struct view *v)
{
    double waited_s = v->waits_s[WAIT_GIL];
    const json_t *pairs = json_object_get(json_object_get(v->profile, "scalene"), "gil");
    if (v->elapsed_s <= 0 || waited_s <= LEAST_PART * v->elapsed_s)
        return;
    char seconds[TEXT_BYTES], text[2 * TEXT_BYTES];
    screen_newline(s);
    screen_text(s, PAINT_DIM, "GIL");
    snprintf(text, sizeof text, "  threads waited %s for it", text_seconds(seconds, waited_s));
    screen_text(s, PAINT_PLAIN, text);
    screen_newline(s);
    for (size_t i = 0; i < MOST_PAIRS && i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        if (json_is_true(json_object_get(pair, "is_other")) ||
            view_number(pair, "seconds") < LEAST_PAIR * waited_s)
            break;
        print_pair(s, v, pair);
    }
}
