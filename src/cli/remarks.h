/* SPDX-License-Identifier: Apache-2.0 */
/* What scalene run says beside the program. */
#ifndef SCALENE_CLI_REMARKS_H
#define SCALENE_CLI_REMARKS_H

#include "analyze/profile.h"
#include "cli/make.h"
#include "wire/ring.h"

/* Whoever runs a program in the background may want to switch it from another terminal. */
void remark_background(void);
/* The signal the program has died of, if it was one. */
void remark_death(int wait_status);
/* Why nothing was measured, as one sentence. */
void remark_nothing(enum control_refusal refusal, uint32_t hexversion);
/* That there was little to see, and what to do, by what was asked for. */
void remark_few(const struct profile_result *result, const struct make_options *options);
/* Where the profile is, and the commands that show it. */
void remark_saved(const char *path);

#endif
