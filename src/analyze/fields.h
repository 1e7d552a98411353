/* SPDX-License-Identifier: Apache-2.0 */
/* The variable part of a record, taken piece by piece and never beyond its end. */
#ifndef SCALENE_ANALYZE_FIELDS_H
#define SCALENE_ANALYZE_FIELDS_H

#include "wire/record.h"

#include <stdbool.h>

struct fields {
    const uint8_t *at, *end;
    bool is_bad; /* something did not fit: the record is malformed */
};

/* Characters in the record; none: chars points at nothing that may be read. */
struct field {
    const uint8_t *chars;
    size_t n_chars;
    unsigned width; /* 1, 2 or 4 */
};

/* What follows the first fixed_bytes of a record, which must be there. */
struct fields fields_after(const struct record_header *record, size_t fixed_bytes);
struct field fields_string(struct fields *fields, const struct record_string *string);
/* n bytes, padded to 8 in the record. */
const uint8_t *fields_bytes(struct fields *fields, uint64_t n);

#endif
