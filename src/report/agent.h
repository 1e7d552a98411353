/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON profile as Markdown for a program that reads text, within a budget of tokens. */
#ifndef SCALENE_REPORT_AGENT_H
#define SCALENE_REPORT_AGENT_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Takes any JSON; the dearest lines first, as many as n_tokens have room for. False only when `out`
 * cannot be written. */
bool report_agent(const json_t *profile, unsigned n_tokens, FILE *out, struct err *e);

#endif
