/* SPDX-License-Identifier: Apache-2.0 */
/* Where things lie in the memory of one CPython: found by the agent (agent/pyver/), used by it and,
 * sent with RECORD_INTERPRETER, by the collector, which reads the same memory from outside. */
#ifndef SCALENE_WIRE_LAYOUT_H
#define SCALENE_WIRE_LAYOUT_H

#include <assert.h>
#include <stdint.h>

enum instr_form {
    INSTR_BYTES,   /* int32: byte offset of the instruction */
    INSTR_UNITS,   /* int32: offset in units of 2 bytes */
    INSTR_POINTER, /* the instruction's address */
};

#define LAYOUT_NONE (-1) /* no field lies at an odd place */

/* Offsets in bytes; LAYOUT_NONE: this version has no such field. */
struct py_layout {
    int32_t minor;          /* of 3.minor */
    int32_t tstate_frame;   /* thread state -> frame, or -> cframe where cframe_current is given */
    int32_t cframe_current; /* cframe -> frame: 3.11 and 3.12 */
    int32_t cframe_previous;
    int32_t frame_code;
    int32_t frame_instr;
    int32_t frame_previous;
    int32_t frame_owner;   /* a byte; frames with owner >= 3 belong to C code and are skipped */
    int32_t instr_form;    /* enum instr_form */
    int32_t code_bytecode; /* the instructions: a bytes object before 3.11, in place since */
    int32_t bytecode_is_object;
    int32_t code_line_table;
    int32_t code_first_line;
    int32_t code_flags;
    int32_t code_filename;
    int32_t code_name;
    int32_t code_qualname;
    int32_t function_vectorcall;
    int32_t str_ascii_data;   /* characters of an ASCII str object */
    int32_t str_compact_data; /* of any other compact one */
    int32_t str_kind_shift;   /* where the character width stands in the state word */
    int32_t tstate_thread_id; /* threading.get_ident() of the state's thread */
    int32_t tstate_in_thread; /* where a thread's own memory (at its ident) points to its state */
    int32_t unused;
    uint64_t code_type; /* address of PyCode_Type */
    uint64_t gil;       /* address of the lock's record; 0: not known */
};
static_assert(sizeof(struct py_layout) == 24 * 4 + 16, "wire layout");

/* Fields that never moved. */
enum {
    OBJECT_TYPE = 8,
    OBJECT_SIZE = 16, /* of variable objects */
    BYTES_DATA = 32,
    STR_LENGTH = 16,
    STR_STATE = 32,
    TYPE_DEALLOC = 48,
    TYPE_CALL = 128,
    TYPE_CLEAR = 192,
    TYPE_ITERNEXT = 224,
    TYPE_INIT = 296,
    TYPE_NEW = 312,
    METHOD_VECTORCALL = 40,
    /* Of the GIL's record, from 3.8 on. */
    GIL_HOLDER = 8,
    GIL_LOCKED = 16,
    GIL_BYTES = 208,
};

#endif
