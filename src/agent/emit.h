/* SPDX-License-Identifier: Apache-2.0 */
/* Writes records that carry strings. */
#ifndef SCALENE_AGENT_EMIT_H
#define SCALENE_AGENT_EMIT_H

#include "wire/record.h"

#include <stdbool.h>

/* Puts a record into the ring: its fixed part, then the characters of its `n_texts` strings, which
 * stand one after the other from `strings` on; texts[i] is where they lie in memory, read as memory
 * that may not be there. False: no room, which is counted. Context: signal | boot */
bool emit_record(enum record_kind kind, uint16_t flags, const void *fixed, uint32_t fixed_bytes,
                 const struct record_string *strings, const void *const *texts, unsigned n_texts);

#endif
