/* SPDX-License-Identifier: Apache-2.0 */
/* A growing array of any type: struct { T *items; size_t n, room; } and three macros.
 *
 *     struct { int *items; size_t n, room; } numbers = {0};
 *     *vec_push(&numbers) = 7;
 *     for (size_t i = 0; i < numbers.n; i++) use(numbers.items[i]);
 *     vec_fini(&numbers); */
#ifndef SCALENE_BASE_VEC_H
#define SCALENE_BASE_VEC_H

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define vec_of(T)                                                                                  \
    struct {                                                                                       \
        T *items;                                                                                  \
        size_t n, room;                                                                            \
    }

/* The address of a new last item, zeroed. */
#define vec_push(v)                                                                                \
    ((v)->n == (v)->room                                                                           \
         ? (void)((v)->room = (v)->room ? (v)->room * 2 : 16,                                      \
                  (v)->items = xrealloc((v)->items, (v)->room * sizeof *(v)->items))               \
         : (void)0,                                                                                \
     memset(&(v)->items[(v)->n], 0, sizeof *(v)->items), &(v)->items[(v)->n++])

#define vec_fini(v) (free((v)->items), (v)->items = NULL, (v)->n = (v)->room = 0)

#endif
