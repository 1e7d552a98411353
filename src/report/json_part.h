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

#endif
