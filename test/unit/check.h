/* SPDX-License-Identifier: Apache-2.0 */
/* The whole test framework: a test is a function, a failed check names its place and ends the
 * process. A unit test file lists its tests in main with RUN(name). */
#ifndef SCALENE_TEST_CHECK_H
#define SCALENE_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #condition);  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_STR(got, want)                                                                       \
    do {                                                                                           \
        const char *got_ = (got), *want_ = (want);                                                 \
        if (strcmp(got_, want_) != 0) {                                                            \
            fprintf(stderr, "%s:%d: %s: got \"%s\", want \"%s\"\n", __FILE__, __LINE__, __func__,  \
                    got_, want_);                                                                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_NEAR(got, want, tolerance)                                                           \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(got_ >= want_ - (tolerance) && got_ <= want_ + (tolerance))) {                       \
            fprintf(stderr, "%s:%d: %s: got %g, want %g +- %g\n", __FILE__, __LINE__, __func__,    \
                    got_, want_, (double)(tolerance));                                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define RUN(test)                                                                                  \
    do {                                                                                           \
        test();                                                                                    \
        printf("ok %s\n", #test);                                                                  \
    } while (0)

#endif
