/* SPDX-License-Identifier: Apache-2.0 */
/* Where the things the agent reads lie in the memory of each CPython version. The only place in
 * the agent that knows versions. */
#ifndef SCALENE_AGENT_PYVER_PYVER_H
#define SCALENE_AGENT_PYVER_PYVER_H

#include <stdbool.h>
#include <stdint.h>

enum instr_form {
    INSTR_BYTES,   /* int32: byte offset of the instruction */
    INSTR_UNITS,   /* int32: offset in units of 2 bytes */
    INSTR_POINTER, /* the instruction's address */
};

#define PYVER_NONE (-1)

/* Offsets in bytes; PYVER_NONE: this version has no such field. */
struct py_layout {
    int minor;          /* of 3.minor */
    int tstate_frame;   /* thread state -> frame, or -> cframe where cframe_current is given */
    int cframe_current; /* cframe -> frame: 3.11 and 3.12 */
    int cframe_previous;
    int frame_code;
    int frame_instr;
    int frame_previous;
    int frame_owner; /* a byte; frames with owner >= 3 belong to C code and are skipped */
    enum instr_form instr_form;
    int code_bytecode; /* the instructions: a bytes object before 3.11, in place since */
    bool bytecode_is_object;
    int code_line_table;
    int code_first_line;
    int code_flags;
    int code_filename;
    int code_name;
    int code_qualname;
    int function_vectorcall;
    int str_ascii_data;   /* characters of an ASCII str object */
    int str_compact_data; /* of any other compact one */
    int str_kind_shift;   /* where the character width stands in the state word */
};

/* Fields that never moved. */
enum {
    OBJECT_TYPE = 8,
    OBJECT_SIZE = 16, /* of variable objects */
    BYTES_DATA = 32,
    STR_LENGTH = 16,
    STR_STATE = 32,
    TYPE_CALL = 128,
    TYPE_CLEAR = 192,
    TYPE_ITERNEXT = 224,
    TYPE_INIT = 296,
    TYPE_NEW = 312,
    METHOD_VECTORCALL = 40,
};

/* The layout of a version, corrected by what the interpreter publishes of itself (3.13 and later;
 * `runtime` is the address of _PyRuntime, or 0). False: this version is not known. Context: boot */
bool pyver_find(uint32_t hexversion, uint64_t runtime, struct py_layout *layout);

#endif
