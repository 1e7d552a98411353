/* SPDX-License-Identifier: Apache-2.0 */
/* How the program speaks on stderr: one sentence at a time, with its name before it. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("scalene: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int fail(int status, const char *sentence)
{
    say("%s", sentence);
    return status;
}
