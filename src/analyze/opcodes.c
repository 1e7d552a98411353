/* SPDX-License-Identifier: Apache-2.0 */
/* The call instructions of each CPython, as runs of neighbouring opcodes. The tables are written by
 * script/make-opcodes.py from the interpreters' own headers; instructions in none of them are
 * OPCODE_OTHER. */
#include "analyze/opcodes.h"

#include <stddef.h>

struct opcode_run {
    uint8_t first, last;
    uint8_t kind; /* enum opcode_kind */
};

/* clang-format off */
static const struct opcode_run python_3_8[] = {
    /* CALL_FUNCTION */
    {131, 131, OPCODE_CALL},
    /* CALL_FUNCTION_KW CALL_FUNCTION_EX */
    {141, 142, OPCODE_CALL},
    /* CALL_METHOD */
    {161, 161, OPCODE_CALL},
};

static const struct opcode_run python_3_9[] = {
    /* CALL_FUNCTION */
    {131, 131, OPCODE_CALL},
    /* CALL_FUNCTION_KW CALL_FUNCTION_EX */
    {141, 142, OPCODE_CALL},
    /* CALL_METHOD */
    {161, 161, OPCODE_CALL},
};

static const struct opcode_run python_3_10[] = {
    /* CALL_FUNCTION */
    {131, 131, OPCODE_CALL},
    /* CALL_FUNCTION_KW CALL_FUNCTION_EX */
    {141, 142, OPCODE_CALL},
    /* CALL_METHOD */
    {161, 161, OPCODE_CALL},
};

static const struct opcode_run python_3_11[] = {
    /* CALL_ADAPTIVE */
    {22, 22, OPCODE_CALL},
    /* CALL_PY_EXACT_ARGS CALL_PY_WITH_DEFAULTS */
    {23, 24, OPCODE_CALL_PYTHON},
    /* PRECALL_ADAPTIVE PRECALL_BOUND_METHOD PRECALL_BUILTIN_CLASS */
    /* PRECALL_BUILTIN_FAST_WITH_KEYWORDS */
    {64, 67, OPCODE_CALL},
    /* PRECALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS PRECALL_NO_KW_BUILTIN_FAST */
    {72, 73, OPCODE_CALL},
    /* PRECALL_NO_KW_BUILTIN_O */
    {76, 76, OPCODE_CALL},
    /* PRECALL_NO_KW_ISINSTANCE PRECALL_NO_KW_LEN PRECALL_NO_KW_LIST_APPEND */
    {77, 79, OPCODE_CALL_C},
    /* PRECALL_NO_KW_METHOD_DESCRIPTOR_FAST PRECALL_NO_KW_METHOD_DESCRIPTOR_NOARGS */
    {80, 81, OPCODE_CALL},
    /* PRECALL_NO_KW_METHOD_DESCRIPTOR_O */
    {113, 113, OPCODE_CALL},
    /* PRECALL_NO_KW_STR_1 */
    {121, 121, OPCODE_CALL_C},
    /* PRECALL_NO_KW_TUPLE_1 */
    {127, 127, OPCODE_CALL_C},
    /* PRECALL_NO_KW_TYPE_1 */
    {141, 141, OPCODE_CALL_C},
    /* CALL_FUNCTION_EX PRECALL_PYFUNC */
    {142, 143, OPCODE_CALL},
    /* PRECALL */
    {166, 166, OPCODE_CALL},
    /* CALL */
    {171, 171, OPCODE_CALL},
};

static const struct opcode_run python_3_12[] = {
    /* CALL_PY_EXACT_ARGS CALL_PY_WITH_DEFAULTS */
    {23, 24, OPCODE_CALL_PYTHON},
    /* CALL_BOUND_METHOD_EXACT_ARGS */
    {28, 28, OPCODE_CALL_PYTHON},
    /* CALL_BUILTIN_CLASS */
    {29, 29, OPCODE_CALL},
    /* CALL_BUILTIN_FAST_WITH_KEYWORDS */
    {34, 34, OPCODE_CALL},
    /* CALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS CALL_NO_KW_BUILTIN_FAST CALL_NO_KW_BUILTIN_O */
    {38, 40, OPCODE_CALL},
    /* CALL_NO_KW_ISINSTANCE CALL_NO_KW_LEN CALL_NO_KW_LIST_APPEND */
    {41, 43, OPCODE_CALL_C},
    /* CALL_NO_KW_METHOD_DESCRIPTOR_FAST CALL_NO_KW_METHOD_DESCRIPTOR_NOARGS */
    /* CALL_NO_KW_METHOD_DESCRIPTOR_O */
    {44, 46, OPCODE_CALL},
    /* CALL_NO_KW_STR_1 CALL_NO_KW_TUPLE_1 */
    {47, 48, OPCODE_CALL_C},
    /* CALL_NO_KW_TYPE_1 */
    {56, 56, OPCODE_CALL_C},
    /* CALL_FUNCTION_EX */
    {142, 142, OPCODE_CALL},
    /* CALL */
    {171, 171, OPCODE_CALL},
    /* INSTRUMENTED_CALL */
    {241, 241, OPCODE_CALL},
    /* INSTRUMENTED_CALL_FUNCTION_EX */
    {244, 244, OPCODE_CALL},
};

static const struct opcode_run python_3_13[] = {
    /* CALL CALL_FUNCTION_EX */
    {53, 54, OPCODE_CALL},
    /* CALL_KW */
    {57, 57, OPCODE_CALL},
    /* CALL_ALLOC_AND_ENTER_INIT CALL_BOUND_METHOD_EXACT_ARGS CALL_BOUND_METHOD_GENERAL */
    {162, 164, OPCODE_CALL_PYTHON},
    /* CALL_BUILTIN_CLASS CALL_BUILTIN_FAST CALL_BUILTIN_FAST_WITH_KEYWORDS CALL_BUILTIN_O */
    {165, 168, OPCODE_CALL},
    /* CALL_ISINSTANCE CALL_LEN CALL_LIST_APPEND */
    {169, 171, OPCODE_CALL_C},
    /* CALL_METHOD_DESCRIPTOR_FAST CALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS */
    /* CALL_METHOD_DESCRIPTOR_NOARGS CALL_METHOD_DESCRIPTOR_O CALL_NON_PY_GENERAL */
    {172, 176, OPCODE_CALL},
    /* CALL_PY_EXACT_ARGS CALL_PY_GENERAL */
    {177, 178, OPCODE_CALL_PYTHON},
    /* CALL_STR_1 CALL_TUPLE_1 CALL_TYPE_1 */
    {179, 181, OPCODE_CALL_C},
    /* INSTRUMENTED_CALL INSTRUMENTED_CALL_KW INSTRUMENTED_CALL_FUNCTION_EX */
    {244, 246, OPCODE_CALL},
};

static const struct opcode_run python_3_14[] = {
    {4, 4, OPCODE_CALL},
    {52, 52, OPCODE_CALL},
    {55, 55, OPCODE_CALL},
    {143, 145, OPCODE_CALL_PYTHON},
    {146, 149, OPCODE_CALL},
    {150, 150, OPCODE_CALL_C},
    {151, 151, OPCODE_CALL_PYTHON},
    {152, 152, OPCODE_CALL},
    {153, 153, OPCODE_CALL_PYTHON},
    {154, 155, OPCODE_CALL_C},
    {156, 160, OPCODE_CALL},
    {161, 162, OPCODE_CALL_PYTHON},
    {163, 165, OPCODE_CALL_C},
    {250, 252, OPCODE_CALL},
};

static const struct opcode_run python_3_15[] = {
    {4, 4, OPCODE_CALL},
    {50, 50, OPCODE_CALL},
    {53, 53, OPCODE_CALL},
    {144, 146, OPCODE_CALL_PYTHON},
    {147, 151, OPCODE_CALL},
    {152, 152, OPCODE_CALL_PYTHON},
    {153, 153, OPCODE_CALL_C},
    {154, 154, OPCODE_CALL_PYTHON},
    {155, 155, OPCODE_CALL},
    {156, 156, OPCODE_CALL_PYTHON},
    {157, 158, OPCODE_CALL_C},
    {159, 163, OPCODE_CALL},
    {164, 165, OPCODE_CALL_PYTHON},
    {166, 168, OPCODE_CALL_C},
    {249, 251, OPCODE_CALL},
};

/* clang-format on */

#define RUNS(table)                                                                                \
    {                                                                                              \
        table, sizeof table / sizeof *table                                                        \
    }

/* By minor version, from the oldest. */
#define OLDEST_MINOR 8
static const struct {
    const struct opcode_run *runs;
    size_t n;
} versions[] = {
    RUNS(python_3_8),  RUNS(python_3_9),  RUNS(python_3_10), RUNS(python_3_11),
    RUNS(python_3_12), RUNS(python_3_13), RUNS(python_3_14), RUNS(python_3_15),
};
#define NEWEST_MINOR (OLDEST_MINOR + (unsigned)(sizeof versions / sizeof *versions) - 1)

enum opcode_kind opcode_kind_of(uint32_t hexversion, uint8_t opcode)
{
    unsigned minor = hexversion >> 16 & 0xff;
    minor = minor < OLDEST_MINOR ? OLDEST_MINOR : minor > NEWEST_MINOR ? NEWEST_MINOR : minor;
    const struct opcode_run *run = versions[minor - OLDEST_MINOR].runs;
    const struct opcode_run *end = run + versions[minor - OLDEST_MINOR].n;
    for (; run < end; run++)
        if (opcode >= run->first && opcode <= run->last)
            return (enum opcode_kind)run->kind;
    return OPCODE_OTHER;
}
