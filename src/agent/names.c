/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the name when a thread is made, for then its creator holds the GIL and stands at a point
 * where Python's own functions may be called. From 3.8 on Python passes to pthread_create
 *
 *     { function, state }   ->   { ..., callable, ... }   ->   the bound method Thread._bootstrap
 *
 * each the second word of what points to it. Nothing of it is believed before the type of the
 * method is seen; then the attribute is looked up as Python would, without running any code of the
 * program's. A name that is changed after the start is not seen. */
#include "agent/names.h"

#include "agent/agent.h"
#include "agent/codes.h"
#include "agent/emit.h"
#include "agent/frames.h"
#include "agent/peek.h"
#include "frame/code.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "agent/safe.h"

enum { METHOD_FUNCTION = 16, METHOD_SELF = 24 }; /* in a bound method, in every version */

/* Of the interpreter; constant after boot. */
static struct {
    void *(*current)(void); /* the state of the thread that has the GIL; this one's from 3.12 on */
    void *(*error)(void);
    void (*clear_error)(void);
    void *(*attribute)(void *, void *);
    void *(*type_attribute)(void *, void *);
    void (*release)(void *);
    void *(*code)(void *);
    uint64_t method_type, function_type;
    void *name, *target, *run; /* the strs "_name", "_target" and "run" */
} python;

static const struct {
    const char *name;
    void *to;
} functions[] = {
    {"PyErr_Occurred", &python.error},
    {"PyErr_Clear", &python.clear_error},
    {"PyObject_GenericGetAttr", &python.attribute},
    {"_PyType_Lookup", &python.type_attribute},
    {"Py_DecRef", &python.release},
    {"PyFunction_GetCode", &python.code},
    {"PyMethod_Type", &python.method_type},
    {"PyFunction_Type", &python.function_type},
};
/* By the name it has from 3.13 on, or that of before. */
static const char *const current_names[] = {"PyThreadState_GetUnchecked",
                                            "_PyThreadState_UncheckedGet"};

void names_prepare(void)
{
    bool has_all = true;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(RTLD_DEFAULT, functions[i].name);
        memcpy(functions[i].to, &found, sizeof found);
        has_all = has_all && found;
    }
    for (size_t i = 0; i < sizeof current_names / sizeof *current_names && !python.current; i++) {
        void *found = dlsym(RTLD_DEFAULT, current_names[i]);
        memcpy(&python.current, &found, sizeof found);
    }
    void *(*make)(const char *) = dlsym(RTLD_DEFAULT, "PyUnicode_InternFromString");
    if (!has_all || !python.current || !make)
        return;
    python.target = make("_target");
    python.run = make("run");
    python.name = python.target && python.run ? make("_name") : NULL;
}

/* PyGILState_Check says yes to everybody once there has been a second interpreter. */
static bool has_gil(void)
{
    uint64_t state = (uint64_t)(uintptr_t)python.current();
    uint64_t offset = (uint64_t)frames_python.layout.tstate_thread_id;
    return state && peek_word(state + offset) == (uint64_t)pthread_self();
}

/* The Thread object, or NULL. */
static void *thread_object(const void *argument)
{
    uint64_t state = peek_word((uint64_t)(uintptr_t)argument + 8);
    uint64_t callable = state ? peek_word(state + 8) : 0;
    if (!callable || (callable & 7) || peek_word(callable + OBJECT_TYPE) != python.method_type)
        return NULL;
    return (void *)(uintptr_t)peek_word(callable + METHOD_SELF);
}

static void copy(struct thread_name *name, uint64_t str)
{
    uint64_t at;
    struct record_string text = code_string(&peek_memory, &frames_python.layout, str, &at);
    if (!text.width)
        return;
    uint32_t most = NAMES_BYTES / text.width;
    text.is_cut = text.n_chars > most;
    text.n_chars = text.is_cut ? most : text.n_chars;
    name->is_python = true;
    if (peek_bytes(at, name->chars, text.n_chars * text.width))
        name->text = text;
}

static uint64_t type_of(const void *object)
{
    return peek_word((uint64_t)(uintptr_t)object + OBJECT_TYPE);
}

/* An attribute of the object itself, to be released; NULL: there is none, or its class computes it,
 * which would run the program's code. */
static void *own_attribute(void *object, void *name)
{
    if (python.type_attribute((void *)(uintptr_t)type_of(object), name))
        return NULL;
    void *value = python.attribute(object, name);
    if (!value)
        python.clear_error();
    return value;
}

/* The code object of a function or of a method's function. */
static uint64_t code_of(void *callable)
{
    if (callable && type_of(callable) == python.method_type)
        callable = (void *)(uintptr_t)peek_word((uint64_t)(uintptr_t)callable + METHOD_FUNCTION);
    if (!callable || type_of(callable) != python.function_type)
        return 0;
    return (uint64_t)(uintptr_t)python.code(callable);
}

/* What the thread is started with: its target, or the method that a class has for it. */
static uint64_t entry_of(void *thread)
{
    void *target = own_attribute(thread, python.target);
    uint64_t code = code_of(target);
    if (target)
        python.release(target);
    if (code)
        return code;
    return code_of(python.type_attribute((void *)(uintptr_t)type_of(thread), python.run));
}

void names_find(struct thread_name *name, const void *argument)
{
    name->text = (struct record_string){0};
    name->is_python = false;
    name->entry = 0;
    if (!python.name)
        return;
    uint64_t faults = peek_let_faults_in();
    void *thread = has_gil() && !python.error() ? thread_object(argument) : NULL;
    if (thread) {
        void *str = own_attribute(thread, python.name);
        if (str) {
            copy(name, (uint64_t)(uintptr_t)str);
            python.release(str);
        }
        name->entry = entry_of(thread);
    }
    peek_keep_faults_out(faults);
}

void names_set(struct thread_name *name, const char *text)
{
    uint32_t n = (uint32_t)strnlen(text, NAMES_BYTES);
    name->is_python = false;
    name->text = (struct record_string){.n_chars = n, .width = n != 0};
    memcpy(name->chars, text, n);
}

void names_send(const struct thread_name *name, uint32_t tid)
{
    struct record_thread_name record = {.tid = tid, .name = name->text};
    const void *texts[] = {name->chars};
    if (name->entry) {
        /* This may be the first moment of a thread that blocks everything. */
        uint64_t faults = peek_let_faults_in();
        codes_id(name->entry, &record.entry);
        peek_keep_faults_out(faults);
    }
    if (name->text.width || record.entry)
        emit_record(RECORD_THREAD_NAME, name->is_python ? NAME_IS_PYTHON : 0, &record,
                    sizeof record, &record.name, texts, 1);
}
