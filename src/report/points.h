/* SPDX-License-Identifier: Apache-2.0 */
/* Memory over time as the JSON profile has it: pairs of nanoseconds since the start and MiB. */
#ifndef SCALENE_REPORT_POINTS_H
#define SCALENE_REPORT_POINTS_H

#include "analyze/profile.h"
#include "report/write.h"

#include <jansson.h>

#define POINTS_CELLS 64 /* of the widest curve */

void write_points(struct writer *w, const struct profile_point *points, size_t n);
/* Such a list as a curve over a run of so many seconds: the largest value of each of n_cells (at
 * most POINTS_CELLS) equal parts. False when there is nothing to draw. */
bool points_curve(const json_t *list, double run_s, double *cells, size_t n_cells);

#endif
