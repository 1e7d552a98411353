/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands, and how all of them speak and end. */
#ifndef SCALENE_CLI_CLI_H
#define SCALENE_CLI_CLI_H

#include <stdbool.h>

/* Exit statuses of our own; a program's status is given back as it is. */
enum { STATUS_OK = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* Each takes the NULL-ended arguments after its name and returns the exit status. */
int run_main(const char *const *arguments);
int replay_main(const char *const *arguments);
int view_main(const char *const *arguments);
int profile_main(const char *const *arguments);
int completion_main(const char *const *arguments);
int manual_main(const char *const *arguments);
/* `scalene prog.py`: run, then view in the terminal. */
int run_and_view(const char *const *arguments);
/* The terminal view of a profile, as `scalene view --cli FILE`. */
int view_in_terminal(const char *path);

/* "scalene: " and a sentence on stderr. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, as the end of a subcommand. */
int fail(int status, const char *sentence);

#endif
