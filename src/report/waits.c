/* SPDX-License-Identifier: Apache-2.0 */
#include "report/waits.h"

#include <math.h>
#include <stddef.h>

/* Sorted by name, as the keys of the JSON are. */
static const struct {
    const char *name;
    enum wait_kind kind;
} names[WAIT_KINDS] = {
    {"child", WAIT_CHILD}, {"gil", WAIT_GIL},   {"io", WAIT_IO},       {"lock", WAIT_LOCK},
    {"other", WAIT_OTHER}, {"poll", WAIT_POLL}, {"sleep", WAIT_SLEEP}, {"starved", WAIT_STARVED},
};

const char *waits_name(enum wait_kind kind)
{
    for (size_t i = 0; i < WAIT_KINDS; i++)
        if (names[i].kind == kind)
            return names[i].name;
    return "";
}

double waits_sum(const double waits_s[WAIT_KINDS])
{
    double sum = 0;
    for (size_t i = 0; i < WAIT_KINDS; i++)
        sum += waits_s[i];
    return sum;
}

enum wait_kind waits_largest(const double waits_s[WAIT_KINDS], unsigned kinds)
{
    enum wait_kind largest = WAIT_OTHER;
    for (unsigned i = 0; i < WAIT_KINDS; i++)
        if (kinds & 1u << i && waits_s[i] > waits_s[largest])
            largest = (enum wait_kind)i;
    return largest;
}

void waits_write(struct writer *w, const double waits_s[WAIT_KINDS])
{
    write_open(w, '{');
    for (size_t i = 0; i < WAIT_KINDS; i++) {
        if (!(waits_s[names[i].kind] > 0))
            continue;
        write_key(w, names[i].name);
        write_number(w, waits_s[names[i].kind]);
    }
    write_close(w, '}');
}

void waits_read(double waits_s[WAIT_KINDS], const json_t *object)
{
    for (size_t i = 0; i < WAIT_KINDS; i++) {
        double seconds = json_number_value(json_object_get(object, names[i].name));
        waits_s[names[i].kind] = isfinite(seconds) ? fmin(1e12, fmax(0, seconds)) : 0;
    }
}
