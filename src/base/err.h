/* SPDX-License-Identifier: Apache-2.0 */
/* One finished sentence about what went wrong, written by whoever knows the cause. */
#ifndef SCALENE_BASE_ERR_H
#define SCALENE_BASE_ERR_H

#include <stdbool.h>

struct err {
    char text[512]; /* empty: no error; a sentence without the final newline */
};

/* Writes the sentence and returns false, so that `return err_set(e, ...)` ends a function. */
bool err_set(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
