/* SPDX-License-Identifier: Apache-2.0 */
/* The larger parts of the JSON profile, each written by the file of its name; only json.c calls
 * them. */
#ifndef SCALENE_REPORT_JSON_PART_H
#define SCALENE_REPORT_JSON_PART_H

#include "report/json.h"
#include "report/write.h"

struct json_context {
    struct writer w;
    const struct profile_result *r;
    const struct report_options *o;
};

double json_seconds(const struct cost *cost);
const struct source *json_source(const struct json_context *c, const char *path);

void json_files(struct json_context *c);           /* json_file.c */
void json_stacks(struct json_context *c);          /* json_stack.c */
void json_combined_stacks(struct json_context *c); /* json_stack.c */
void json_run(struct json_context *c);             /* json_run.c */
void json_frames(struct json_context *c, const struct profile_stack *stack);
void json_gil(struct json_context *c);      /* json_wait.c */
void json_timeline(struct json_context *c); /* json_timeline.c */

/* json_memory.c */
void json_alloc_samples(struct json_context *c);
void json_footprint(struct json_context *c);
void json_growth_rate(struct json_context *c);
void json_leaks(struct json_context *c, const struct profile_file *file);
void json_memory(struct json_context *c);
void json_memory_is_measured(struct json_context *c);
void json_memory_stacks(struct json_context *c);
void json_outside_memory(struct json_context *c);
void json_process_memory(struct json_context *c, const struct profile_process_memory *memory);
void json_peak(struct json_context *c);
void json_peak_file(struct json_context *c);
void json_peak_line(struct json_context *c);
void json_peak_python(struct json_context *c);

#endif
