/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions of which CPython call something, as far as the judge has to know. */
#ifndef SCALENE_ANALYZE_OPCODES_H
#define SCALENE_ANALYZE_OPCODES_H

#include <stdint.h>

enum opcode_kind {
    OPCODE_OTHER,
    OPCODE_CALL,        /* of anything */
    OPCODE_CALL_PYTHON, /* specialised on a Python function */
    OPCODE_CALL_C, /* specialised on one C function, whose body the interpreter calls directly */
};

/* The kind of an instruction of the CPython of a given sys.hexversion. Versions newer than the
 * newest known are taken for that one, older ones for the oldest. */
enum opcode_kind opcode_kind_of(uint32_t hexversion, uint8_t opcode);

#endif
