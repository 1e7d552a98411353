/* SPDX-License-Identifier: Apache-2.0 */
/* Looks the interpreter over: where its evaluation loop lies, and at what addresses calls of Python
 * functions, dispatchers and deallocation begin. Most of these functions are static, so they are
 * read off objects that hold them. Nothing made here stays. Runs at boot only. */
#include "agent/boot.h"

#include "agent/cfi.h"
#include "agent/frames.h"
#include "agent/modules.h"
#include "agent/process.h"
#include "agent/unwind.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Strays into the middle of other functions were seen once, never more. */
#define COLD_JUMPS_MIN 3
#define CANDIDATES     64

/* ---- the evaluation loop ---- */

struct candidate {
    uint64_t low, high;
    unsigned n_jumps;
};

/* The target of a jmp or jcc with a 4 byte distance at `at`; 0: there is none. */
static uint64_t jump_target(uint64_t at)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)at;
    int32_t distance;
    size_t n_opcode = code[0] == 0xe9 ? 1 : code[0] == 0x0f && (code[1] & 0xf0) == 0x80 ? 2 : 0;
    if (!n_opcode)
        return 0;
    memcpy(&distance, code + n_opcode, sizeof distance);
    return at + n_opcode + 4 + (uint64_t)(int64_t)distance;
}

static void count_jump(struct candidate *candidates, unsigned *n, uint64_t low, uint64_t high)
{
    unsigned i = 0;
    while (i < *n && candidates[i].low != low)
        i++;
    if (i == CANDIDATES)
        return;
    if (i == *n)
        candidates[(*n)++] = (struct candidate){low, high, 0};
    candidates[i].n_jumps++;
}

/* Compilers move the unlikely part of a function elsewhere, as a function of its own in the tables
 * (in some builds nearly the whole loop). It is known by jumps into its middle. */
static void find_cold_parts(const struct module *m, struct unwind_range hot)
{
    struct candidate candidates[CANDIDATES];
    unsigned n = 0;
    for (uint64_t at = hot.low; at + 6 <= hot.high; at++) {
        uint64_t target = jump_target(at), low, high;
        if (target < m->low || target >= m->high || (target >= hot.low && target < hot.high))
            continue;
        if (cfi_function(m, target, &low, &high) && low != target)
            count_jump(candidates, &n, low, high);
    }
    for (unsigned i = 0; i < n && unwind_target.n_parts < UNWIND_PARTS; i++)
        if (candidates[i].n_jumps >= COLD_JUMPS_MIN)
            unwind_target.parts[unwind_target.n_parts++] =
                (struct unwind_range){candidates[i].low, candidates[i].high};
}

static bool find_eval(uint64_t eval)
{
    struct module m;
    struct unwind_range hot;
    if (!eval || !modules_find(eval, &m) || !cfi_function(&m, eval, &hot.low, &hot.high))
        return false;
    unwind_target.parts[0] = hot;
    unwind_target.n_parts = 1;
    find_cold_parts(&m, hot);
    struct record_interpreter *r = &process_facts.interpreter;
    r->n_eval_parts = unwind_target.n_parts;
    for (uint32_t i = 0; i < unwind_target.n_parts; i++) {
        r->eval_parts[i].low = unwind_target.parts[i].low;
        r->eval_parts[i].high = unwind_target.parts[i].high;
    }
    return true;
}

/* ---- the probes ---- */

static void add(enum probe_role role, uint64_t address)
{
    struct record_interpreter *r = &process_facts.interpreter;
    for (uint32_t i = 0; i < r->n_probes; i++)
        if (r->probes[i].address == address && r->probes[i].role == role)
            return;
    if (address && r->n_probes < INTERPRETER_PROBES)
        r->probes[r->n_probes++] = (struct record_probe){.address = address, .role = role};
}

/* The word at `offset` of an object; 0 without one. */
static uint64_t slot(const void *object, int offset)
{
    uint64_t value = 0;
    if (object)
        memcpy(&value, (const char *)object + offset, sizeof value);
    return value;
}

static const struct {
    const char *name;
    enum probe_role role;
} exports[] = {
    {"_PyEval_EvalFrameDefault", PROBE_EVAL},
    {"_PyFunction_Vectorcall", PROBE_PYTHON},
    {"_PyEval_EvalCodeWithName", PROBE_PYTHON},
    {"_PyEval_Vector", PROBE_PYTHON},
    {"_PyEvalFramePushAndInit", PROBE_PYTHON},
    {"_PyEval_FrameClearAndPop", PROBE_PYTHON},
    {"PyType_GenericAlloc", PROBE_DISPATCH},
    {"_PyObject_MakeTpCall", PROBE_DISPATCH},
    {"PyObject_Call", PROBE_DISPATCH},
    {"PyVectorcall_Call", PROBE_DISPATCH},
    {"PyObject_Vectorcall", PROBE_DISPATCH},
    {"_PyObject_FastCallDictTstate", PROBE_DISPATCH},
    {"_PyObject_FastCallDict", PROBE_DISPATCH},
    {"_PyObject_Call_Prepend", PROBE_DISPATCH},
    {"_PyTrash_end", PROBE_DISPATCH}, /* deallocators end by jumping there */
    {"_Py_Dealloc", PROBE_DEALLOC},
};

static const struct {
    const char *type;
    int offset;
    enum probe_role role;
} type_slots[] = {
    {"PyGen_Type", TYPE_ITERNEXT, PROBE_PYTHON},
    {"PyType_Type", TYPE_CALL, PROBE_DISPATCH},
    {"PyBaseObject_Type", TYPE_INIT, PROBE_DISPATCH},
    {"PyBaseObject_Type", TYPE_NEW, PROBE_DISPATCH},
    /* What the loop itself drops at a call: arguments, and what a frame held. */
    {"PyTuple_Type", TYPE_DEALLOC, PROBE_DISPATCH},
    {"PyDict_Type", TYPE_DEALLOC, PROBE_DISPATCH},
    {"PyList_Type", TYPE_DEALLOC, PROBE_DISPATCH},
    {"PyLong_Type", TYPE_DEALLOC, PROBE_DISPATCH},
    {"PyFloat_Type", TYPE_DEALLOC, PROBE_DISPATCH},
    {"PyUnicode_Type", TYPE_DEALLOC, PROBE_DISPATCH},
    {"PyCell_Type", TYPE_DEALLOC, PROBE_DISPATCH},
    {"PyFunction_Type", TYPE_DEALLOC, PROBE_DISPATCH},
    {"PyMethod_Type", TYPE_DEALLOC, PROBE_DISPATCH},
    {"PyGen_Type", TYPE_DEALLOC, PROBE_DISPATCH},
};

/* The four functions of each of the three memory domains. */
static void add_allocators(void)
{
    void (*get)(int, void *) = boot_symbol("PyMem_GetAllocator");
    for (int domain = 0; get && domain < 3; domain++) {
        uint64_t allocator[5] = {0}; /* a context, then malloc, calloc, realloc, free */
        get(domain, allocator);
        for (int i = 1; i < 5; i++)
            add(PROBE_DISPATCH, allocator[i]);
    }
}

/* Makes a function, a method and a class with Python __init__, __new__ and __call__, reads off
 * which C functions stand behind them, and takes them apart again. */
static void add_from_objects(void)
{
    void *(*new_code)(const char *, const char *, int) = boot_symbol("PyCode_NewEmpty");
    void *(*new_function)(void *, void *) = boot_symbol("PyFunction_New");
    void *(*new_dict)(void) = boot_symbol("PyDict_New");
    void *(*new_method)(void *, void *) = boot_symbol("PyMethod_New");
    void *(*call)(void *, const char *, ...) = boot_symbol("PyObject_CallFunction");
    void (*decref)(void *) = boot_symbol("Py_DecRef");
    void (*clear_error)(void) = boot_symbol("PyErr_Clear");
    void *type = boot_symbol("PyType_Type");
    if (!new_code || !new_function || !new_dict || !new_method || !call || !decref || !type)
        return;
    void *globals = new_dict(), *code = new_code("scalene", "probe", 1);
    void *function = globals && code ? new_function(code, globals) : NULL;
    void *method = function ? new_method(function, function) : NULL;
    void *class = function ? call(type, "s(){s:O,s:O,s:O}", "probe", "__init__", function,
                                  "__call__", function, "__new__", function)
                           : NULL;
    add(PROBE_PYTHON, slot(function, frames_python.layout.function_vectorcall));
    add(PROBE_DISPATCH, slot(method, METHOD_VECTORCALL));
    add(PROBE_DISPATCH, slot(class, TYPE_INIT));
    add(PROBE_DISPATCH, slot(class, TYPE_NEW));
    add(PROBE_DISPATCH, slot(class, TYPE_CALL));
    if (class) { /* a class holds itself alive through its own tables until they are cleared */
        uint64_t clear = slot(type, TYPE_CLEAR);
        ((int (*)(void *))(uintptr_t)clear)(class);
    }
    void *made[] = {class, method, function, code, globals};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        decref(made[i]);
    if (clear_error)
        clear_error();
}

bool probe_interpreter(void)
{
    if (!find_eval((uint64_t)(uintptr_t)boot_symbol("_PyEval_EvalFrameDefault")))
        return false;
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++)
        add(exports[i].role, (uint64_t)(uintptr_t)boot_symbol(exports[i].name));
    for (size_t i = 0; i < sizeof type_slots / sizeof *type_slots; i++)
        add(type_slots[i].role, slot(boot_symbol(type_slots[i].type), type_slots[i].offset));
    add_allocators();
    add_from_objects();
    return true;
}
