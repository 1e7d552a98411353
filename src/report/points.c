/* SPDX-License-Identifier: Apache-2.0 */
#include "report/points.h"

#include <math.h>

void write_points(struct writer *w, const struct profile_point *points, size_t n)
{
    write_open(w, '[');
    for (size_t i = 0; i < n; i++) {
        write_open(w, '[');
        write_count(w, (uint64_t)llround(points[i].time_s * 1e9));
        write_number(w, points[i].bytes / 1048576);
        write_close(w, ']');
    }
    write_close(w, ']');
}

static double number_at(const json_t *pair, size_t i)
{
    double value = json_number_value(json_array_get(pair, i));
    return isfinite(value) ? fmin(1e18, fmax(0, value)) : 0;
}

bool points_curve(const json_t *list, double run_s, double *cells, size_t n_cells)
{
    size_t n = json_array_size(list), cell = 0;
    double run_ns = fmax(run_s * 1e9, number_at(json_array_get(list, n ? n - 1 : 0), 0));
    if (n < 2 || n_cells == 0 || run_ns <= 0)
        return false;
    for (size_t i = 0; i < n_cells; i++)
        cells[i] = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *pair = json_array_get(list, i);
        size_t at =
            (size_t)fmin((double)n_cells - 1, (double)n_cells * number_at(pair, 0) / run_ns);
        double before = cells[cell];
        if (i > 0)
            before = number_at(json_array_get(list, i - 1), 1);
        for (; cell < at; cell++) /* in between it stays what it was */
            cells[cell + 1] = before;
        cells[at] = fmax(cells[at], number_at(pair, 1));
    }
    for (; cell + 1 < n_cells; cell++)
        cells[cell + 1] = number_at(json_array_get(list, n - 1), 1);
    return true;
}
