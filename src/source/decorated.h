/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that wear a decorator of a certain name. */
#ifndef SCALENE_SOURCE_DECORATED_H
#define SCALENE_SOURCE_DECORATED_H

#include "source/source.h"

/* Whether a line lies in a function or class that is decorated by @name, or in one within it. */
bool decorated_has(const struct source *source, const char *name, uint32_t line);

/* Whether the file decorates with @name and leaves it to somebody else to define that: it neither
 * imports it nor binds it. */
bool decorated_needs(const struct source *source, const char *name);

#endif
