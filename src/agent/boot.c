/* SPDX-License-Identifier: Apache-2.0 */
/* How measuring begins: in the program's first moment, before its main.
 *
 * The library is loaded into every process of the tree. In one that is no Python it only passes
 * itself on (carry.c). In a Python we run main ourselves, by the same calls python's own main
 * makes, so as to come in between the interpreter's start-up and the program. Whatever fails here
 * leaves the program to run as if we were not there, and says why in the control block. This file
 * may allocate, print nothing, and lock: nothing of ours runs beside it. */
#include "agent/boot.h"

#include "agent/agent.h"
#include "agent/blocks.h"
#include "agent/carry.h"
#include "agent/clock.h"
#include "agent/codes.h"
#include "agent/control.h"
#include "agent/countdown.h"
#include "agent/frames.h"
#include "agent/got.h"
#include "agent/late.h"
#include "agent/listed.h"
#include "agent/names.h"
#include "agent/objects.h"
#include "agent/peek.h"
#include "agent/process.h"
#include "agent/pymem.h"
#include "agent/pyver/pyver.h"
#include "agent/ranges.h"
#include "agent/real.h"
#include "agent/sample.h"
#include "agent/signals.h"
#include "agent/stacks.h"
#include "agent/threads.h"
#include "agent/waits.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int (*main_function)(int, char **, char **);

/* PyStatus: opaque to us but for its kind. */
struct py_status {
    int kind; /* 0 ok, 1 error, 2 exit */
    const char *function, *message;
    int exit_code;
};

#define PY_CONFIG_BYTES 16384 /* PyConfig has about 500 in every version */

static main_function program_main;

void *boot_symbol(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

/* ---- the control block ---- */

bool boot_map_control(void)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", process_facts.folder, CONTROL_FILE);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    void *at = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return false;
    agent.control = at;
    return agent.control->magic == CONTROL_MAGIC && agent.control->version == WIRE_VERSION;
}

static void refuse(enum control_refusal refusal, uint32_t hexversion)
{
    atomic_store_explicit(&agent.control->refused_hexversion, hexversion, memory_order_relaxed);
    atomic_store_explicit(&agent.control->refusal, (uint32_t)refusal, memory_order_relaxed);
}

/* ---- is this Python? ---- */

/* Python's own binaries are named python, python3.12, python3.13d...; a program that merely links
 * libpython must keep its own main. */
static bool is_python_name(const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (strncmp(name, "python", 6) != 0)
        return false;
    return strspn(name + 6, "0123456789.dtm-bg") == strlen(name + 6);
}

/* Or main does nothing but call Py_BytesMain, whatever the binary is called. */
static bool calls_bytes_main(main_function main)
{
    uint64_t wanted = (uint64_t)(uintptr_t)boot_symbol("Py_BytesMain"), at;
    uint8_t code[48];
    int32_t distance;
    memcpy(&at, &main, sizeof at);
    if (!wanted || !peek_bytes(at, code, sizeof code))
        return false;
    for (unsigned i = 0; i + 5 <= sizeof code; i++) {
        memcpy(&distance, code + i + 1, sizeof distance);
        if ((code[i] == 0xe8 || code[i] == 0xe9) &&
            at + i + 5 + (uint64_t)(int64_t)distance == wanted)
            return true;
    }
    return false;
}

static uint32_t version_by_text(void)
{
    const char *(*get)(void) = boot_symbol("Py_GetVersion");
    unsigned major = 0, minor = 0, patch = 0;
    if (!get || sscanf(get(), "%u.%u.%u", &major, &minor, &patch) < 2)
        return 0;
    return major << 24 | minor << 16 | patch << 8;
}

void boot_note_executable(void)
{
    ssize_t n =
        readlink("/proc/self/exe", process_facts.executable, sizeof process_facts.executable - 1);
    process_facts.executable[n < 0 ? 0 : n] = 0;
    if (n < 0) /* there is no /proc: as it was called */
        snprintf(process_facts.executable, sizeof process_facts.executable, "%s",
                 (const char *)getauxval(AT_EXECFN));
}

static bool is_ours_to_run(main_function main)
{
    boot_note_executable();
    bool has_run_main = boot_symbol("Py_RunMain") != NULL;
    if (!is_python_name(process_facts.executable) && !(has_run_main && calls_bytes_main(main)))
        return false;
    if (!boot_map_control())
        return false;
    if (has_run_main)
        return true;
    if (boot_symbol("Py_Main"))
        refuse(REFUSAL_NO_RUN_MAIN, version_by_text());
    return false;
}

/* ---- facts for the head of the ring ---- */

/* Copies a str object of sys as UTF-8; empty when there is no such thing. */
static void copy_sys_string(const char *name, char *to, size_t room)
{
    void *(*get)(const char *) = boot_symbol("PySys_GetObject");
    const char *(*as_utf8)(void *) = boot_symbol("PyUnicode_AsUTF8");
    void (*clear_error)(void) = boot_symbol("PyErr_Clear");
    void *object = get ? get(name) : NULL;
    const char *text = object && as_utf8 ? as_utf8(object) : NULL;
    snprintf(to, room, "%s", text ? text : "");
    if (!text && clear_error)
        clear_error();
}

static void note_process(int argc, char **argv)
{
    struct process_facts *f = &process_facts;
    cpu_set_t cpus;
    for (int i = 0; i < argc; i++) {
        size_t n = strlen(argv[i]) + 1;
        if (f->n_arguments_bytes + n > sizeof f->arguments)
            break;
        memcpy(f->arguments + f->n_arguments_bytes, argv[i], n);
        f->n_arguments_bytes += (uint32_t)n;
    }
    if (!getcwd(f->cwd, sizeof f->cwd))
        f->cwd[0] = 0;
    f->n_cpus = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? (uint32_t)CPU_COUNT(&cpus) : 1;
    agent.pid = (uint32_t)getpid();
}

static void note_interpreter(uint32_t hexversion)
{
    struct process_facts *f = &process_facts;
    const char *(*version)(void) = boot_symbol("Py_GetVersion");
    snprintf(f->version, sizeof f->version, "%s", version ? version() : "");
    copy_sys_string("base_prefix", f->base_prefix, sizeof f->base_prefix);
    copy_sys_string("prefix", f->prefix, sizeof f->prefix);
    const char *texts[] = {f->version, f->base_prefix, f->prefix};
    struct record_string *strings = &f->interpreter.version;
    for (int i = 0; i < 3; i++)
        strings[i] = (struct record_string){.n_chars = (uint32_t)strlen(texts[i]), .width = 1};
    f->interpreter.hexversion = hexversion;
}

/* ---- the interpreter's layout ---- */

static uint32_t hexversion_of_sys(void)
{
    void *(*get)(const char *) = boot_symbol("PySys_GetObject");
    long (*as_long)(void *) = boot_symbol("PyLong_AsLong");
    void *object = get ? get("hexversion") : NULL;
    return object && as_long ? (uint32_t)as_long(object) : 0;
}

/* Where a str object keeps its character width has moved more than once: three strings of known
 * width show it. */
static bool find_str_kind(struct py_layout *layout)
{
    static const struct {
        int character;
        uint32_t width;
    } known[] = {{0xe9, 1}, {0x20ac, 2}, {0x1f40d, 4}};
    static const int shifts[] = {2, 8, 16};
    void *(*from_ordinal)(int) = boot_symbol("PyUnicode_FromOrdinal");
    void (*decref)(void *) = boot_symbol("Py_DecRef");
    uint32_t states[3];
    if (!from_ordinal || !decref)
        return false;
    for (int i = 0; i < 3; i++) {
        char *text = from_ordinal(known[i].character);
        if (!text)
            return false;
        memcpy(&states[i], text + STR_STATE, sizeof states[i]);
        decref(text);
    }
    for (unsigned s = 0; s < sizeof shifts / sizeof *shifts; s++) {
        bool fits = true;
        for (int i = 0; i < 3; i++) /* the width, and compact but not ASCII */
            fits = fits && (states[i] >> shifts[s] & 31) == (known[i].width | 8);
        if (fits) {
            layout->str_kind_shift = shifts[s];
            return true;
        }
    }
    return false;
}

/* Python keeps each thread's state in the thread's own memory: in a pthread key, since 3.15 in a
 * variable below it. The place is the same in every thread, so that it can be read from outside.
 * Another variable has the state only while the thread holds the GIL: letting go of it for a moment
 * tells them apart. */
static int32_t find_state_in_thread(uint64_t state)
{
    void *(*let_go)(void) = boot_symbol("PyEval_SaveThread");
    void (*take_back)(void *) = boot_symbol("PyEval_RestoreThread");
    uint64_t self = (uint64_t)pthread_self();
    int32_t found = LAYOUT_NONE;
    if (!let_go || !take_back)
        return LAYOUT_NONE;
    void *saved = let_go();
    for (int32_t at = 0; at < 4096 && found == LAYOUT_NONE; at += 8)
        if (peek_word(self + (uint64_t)at) == state)
            found = at;
    for (int32_t at = -16; at > -4096 && found == LAYOUT_NONE; at -= 8)
        if (peek_word(self + (uint64_t)(int64_t)at) == state)
            found = at;
    take_back(saved);
    return found;
}

/* From 3.11 on a state has the two numbers of its thread side by side, but not always at one place.
 */
static int32_t find_thread_id(uint64_t state, int32_t usual)
{
    uint64_t ident = (uint64_t)pthread_self(), tid = (uint64_t)syscall(SYS_gettid);
    for (int32_t at = 0; at < 512; at += 8)
        if (peek_word(state + (uint64_t)at) == ident && peek_word(state + (uint64_t)at + 8) == tid)
            return at;
    return usual;
}

static bool learn_interpreter(uint32_t hexversion)
{
    struct frames_python *p = &frames_python;
    uint64_t runtime = (uint64_t)(uintptr_t)boot_symbol("_PyRuntime");
    if (!pyver_find(hexversion, runtime, &p->layout) || !find_str_kind(&p->layout))
        return false;
    p->layout.code_type = (uint64_t)(uintptr_t)boot_symbol("PyCode_Type");
    p->this_thread_state = boot_symbol("PyGILState_GetThisThreadState");
    p->is_finalizing = boot_symbol("Py_IsFinalizing");
    if (!p->is_finalizing)
        p->is_finalizing = boot_symbol("_Py_IsFinalizing");
    if (!p->layout.code_type || !p->this_thread_state)
        return false;
    uint64_t state = (uint64_t)(uintptr_t)p->this_thread_state();
    p->layout.tstate_in_thread = find_state_in_thread(state);
    p->layout.tstate_thread_id = find_thread_id(state, p->layout.tstate_thread_id);
    p->layout.gil = pyver_gil(&p->layout, runtime, state);
    process_facts.interpreter.layout = p->layout;
    return probe_interpreter();
}

/* ---- what the program takes for granted ---- */

/* The first thread that ends by pthread_exit has the libc load libgcc, and a child forked at that
 * moment finds it half loaded: its own threads then end in a crash. That is so without us, but we
 * change how long things take, and so how often they meet. With libgcc there from the start they
 * cannot. */
static void load_unwinder(uint32_t hexversion)
{
    if (pyver_threads_exit(hexversion))
        dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
}

#define PY_FILE_INPUT 257

/* A decorator that changes nothing: what it marks is found in the source. */
static void give_profile(void)
{
    void *(*run)(const char *, int, void *, void *) = boot_symbol("PyRun_String");
    void *(*new_dict)(void) = boot_symbol("PyDict_New");
    void (*decref)(void *) = boot_symbol("Py_DecRef");
    void (*clear_error)(void) = boot_symbol("PyErr_Clear");
    void *names = run && new_dict && decref && clear_error ? new_dict() : NULL;
    if (!names)
        return;
    void *done = run("import builtins\n"
                     "def profile(function):\n"
                     "    return function\n"
                     "builtins.profile = profile\n",
                     PY_FILE_INPUT, names, names);
    if (!done)
        clear_error();
    else
        decref(done);
    decref(names);
}

/* ---- the beginning and the end ---- */

/* What is done once, however often measuring begins. */
static bool prepare(int argc, char **argv)
{
    static bool is_prepared;
    uint32_t hexversion = hexversion_of_sys();
    if (is_prepared)
        return true;
    note_process(argc, argv);
    note_interpreter(hexversion);
    if (access("/proc/self/maps", R_OK) != 0)
        listed_read();
    if (!signals_start(sample_take) || !learn_interpreter(hexversion)) {
        refuse(REFUSAL_UNKNOWN_VERSION, hexversion);
        return false;
    }
    load_unwinder(hexversion);
    codes_wipe_on_fork();
    stacks_wipe_on_fork();
    objects_wipe_on_fork();
    late_wipe_on_fork();
    ranges_wipe_on_fork();
    is_prepared = pthread_atfork(NULL, NULL, process_after_fork) == 0;
    return is_prepared;
}

static bool start(int argc, char **argv)
{
    if (!prepare(argc, argv))
        return false;
    if (agent.control->gives_profile)
        give_profile();
    control_start();
    if (!process_ring_ready())
        return false;
    waits_check_access();
    names_prepare();
    atomic_store_explicit(&agent.is_on, 1, memory_order_release);
    threads_start();
    if (agent.control->memory_mean) {
        got_start_operators();
        pymem_start(agent.control->memory_mean, agent.control->is_mean_fixed);
    }
    return true;
}

/* Whoever started this process may have had all signals blocked, and exec keeps the mask. */
bool boot_start(int argc, char **argv)
{
    uint64_t faults = peek_let_faults_in();
    bool is_started = start(argc, argv);
    peek_keep_faults_out(faults);
    return is_started;
}

/* The kernel's own record, which misses no moment; rusage's would include the image before exec. */
static void tell_peak(void)
{
    static const char key[] = "\nVmHWM:";
    char text[2048];
    int fd = agent.ring.header ? open("/proc/self/status", O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *at = strstr(text, key);
    if (at)
        agent_count(COUNTER_RESIDENT_PEAK, strtoull(at + sizeof key - 1, NULL, 10) * 1024);
}

/* The last word: every thread's clock. A process that is killed loses what came after its last
 * sample. */
void boot_finish(void)
{
    if (!atomic_load_explicit(&agent.is_on, memory_order_acquire) ||
        agent.pid != (uint32_t)getpid())
        return;
    /* Pairs with agent_enter. */
    atomic_store_explicit(&agent.is_on, 0, memory_order_seq_cst);
    countdown_publish();
    blocks_finish();
    tell_peak();
    threads_end();
}

__attribute__((destructor)) static void finish_at_exit(void)
{
    boot_finish();
}

AGENT_EXPORT void _exit(int status)
{
    boot_finish();
    real_ready()->exit_now(status);
}

AGENT_EXPORT void _Exit(int status);
AGENT_EXPORT void _Exit(int status)
{
    _exit(status);
}

/* What python's own main does, with a moment for us in the middle. */
static int python_main(int argc, char **argv, char **environment)
{
    static char config[PY_CONFIG_BYTES] __attribute__((aligned(16)));
    void (*init_config)(void *) = boot_symbol("PyConfig_InitPythonConfig");
    struct py_status (*set_argv)(void *, ssize_t, char *const *) =
        boot_symbol("PyConfig_SetBytesArgv");
    struct py_status (*initialize)(const void *) = boot_symbol("Py_InitializeFromConfig");
    void (*clear_config)(void *) = boot_symbol("PyConfig_Clear");
    void (*exit_by)(struct py_status) = boot_symbol("Py_ExitStatusException");
    int (*run_main)(void) = boot_symbol("Py_RunMain");
    if (!init_config || !set_argv || !initialize || !clear_config || !exit_by)
        return program_main(argc, argv, environment);
    threads_prepare();
    init_config(config);
    struct py_status status = set_argv(config, argc, argv);
    if (status.kind == 0)
        status = initialize(config);
    clear_config(config);
    if (status.kind == 2)
        return status.exit_code;
    if (status.kind != 0)
        exit_by(status);
    boot_start(argc, argv);
    return run_main();
}

AGENT_EXPORT int __libc_start_main(main_function main, int argc, char **argv, void (*init)(void),
                                   void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
AGENT_EXPORT int __libc_start_main(main_function main, int argc, char **argv, void (*init)(void),
                                   void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*start_main)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void),
                      void *) = dlsym(RTLD_NEXT, "__libc_start_main");
    real_ready();
    carry_hide();
    process_facts.folder = carry_folder();
    if (process_facts.folder && is_ours_to_run(main)) {
        program_main = main;
        main = python_main;
    }
    return start_main(main, argc, argv, init, fini, rtld_fini, stack_end);
}
