/* SPDX-License-Identifier: Apache-2.0 */
/* The rule by which samples are judged; doc of its parts at the functions, of the whole in judge.h.
 *
 * A PC in no module is machine code made at run time (numba, torch, a regular expression compiler):
 * native. Where an ELF file cannot be had, what it would tell is done without: no system calls are
 * seen in it, and calls that leave the evaluation loop are native. */
#include "analyze/judge.h"

#include "symbol/branch.h"
#include "symbol/eh_frame.h"

#define TP_DEALLOC_OFFSET 0x30 /* of tp_dealloc in a type object */

/* A path of PCs under judgement. */
struct path {
    const uint64_t *pcs;
    size_t n; /* the last one is in the evaluation loop where is_whole */
    enum opcode_kind kind;
    bool is_whole;
};

void judge_add_module(struct judge *judge, const struct record_module *record, const char *path)
{
    modules_add(&judge->modules, record, path);
    modules_set_interpreter(&judge->modules, judge->interpreter.eval);
    judge->n_changes++;
}

void judge_add_interpreter(struct judge *judge, const struct record_interpreter *record)
{
    interpreter_fini(&judge->interpreter);
    judge->interpreter = (struct interpreter){0};
    interpreter_init(&judge->interpreter, record);
    modules_set_interpreter(&judge->modules, judge->interpreter.eval);
    judge->n_changes++;
}

/* True when the kernel was at work for the thread: its PC stands just after a system call. */
static bool is_in_kernel(struct judge *judge, uint64_t pc)
{
    struct module *module = modules_find(&judge->modules, pc);
    const struct elf_image *image = module ? module_image(module, judge->input) : NULL;
    return image && branch_is_after_syscall(image, pc - module->record.bias);
}

/* Return addresses may stand just after the end of the function they belong to. */
static uint64_t looked_up(const struct path *path, size_t i)
{
    return i ? path->pcs[i] - 1 : path->pcs[i];
}

/* True when code that is neither the interpreter's nor the system's is on the path. */
static bool has_foreign_code(const struct judge *judge, const struct path *path)
{
    for (size_t i = 0; i < path->n - path->is_whole; i++) {
        const struct module *module = modules_find(&judge->modules, looked_up(path, i));
        if (!module || module->kind == MODULE_OTHER)
            return true;
    }
    return false;
}

/* branch_leads_to, remembered: it searches whole functions. */
static bool jumps_into(struct judge *judge, const struct elf_image *image, uint64_t function,
                       struct elf_range to)
{
    const uint64_t key[] = {(uint64_t)(uintptr_t)image, function, to.low};
    size_t *answer = map_at(&judge->cache->jumps, key, sizeof key, NULL);
    if (*answer == 0)
        *answer = branch_leads_to(image, function, to) ? 2 : 1;
    return *answer == 2;
}

/* One function of the interpreter on the path: where it is in the file, and how it was called. */
struct step {
    const struct elf_image *image;
    struct elf_range function;
    struct call call;
};

static bool is_called_directly(struct judge *judge, const struct step *step)
{
    return step->call.form == CALL_DIRECT && step->call.target &&
           (elf_holds(step->function, step->call.target) ||
            elf_holds(step->function, step->call.stub) ||
            jumps_into(judge, step->image, step->call.target, step->function));
}

enum finding { GO_ON, NOT_NATIVE_YET, MAYBE_NATIVE, SURELY_PYTHON };

/* What one function on the path of a call says. A function called directly from the evaluation loop
 * is part of interpreting; one called through a pointer is the C body of what Python called, unless
 * it is known to pass calls on or to free an object. */
static enum finding judge_step(struct judge *judge, const struct step *step, uint64_t bias,
                               enum opcode_kind kind, bool is_maybe_native)
{
    const struct interpreter *interpreter = &judge->interpreter;
    uint64_t function = step->function.low + bias;
    if (addresses_has(&interpreter->python, function))
        return SURELY_PYTHON;
    if (addresses_has(&interpreter->entering, function))
        return NOT_NATIVE_YET;
    if (is_maybe_native)
        return GO_ON;
    if (kind != OPCODE_CALL_C && is_called_directly(judge, step))
        return GO_ON;
    if (addresses_has(&interpreter->dispatch, function))
        return GO_ON;
    bool is_freeing = step->call.displacement == TP_DEALLOC_OFFSET ||
                      (step->call.target && step->call.target + bias == interpreter->dealloc);
    return is_freeing ? SURELY_PYTHON : MAYBE_NATIVE;
}

/* Walks from the evaluation loop inward. */
static enum verdict judge_call(struct judge *judge, const struct path *path)
{
    bool is_maybe_native = false;
    for (size_t i = path->n - 1; i-- > 0;) {
        struct module *module = modules_find(&judge->modules, looked_up(path, i));
        if (module && module->kind == MODULE_SYSTEM)
            break;
        const struct elf_image *image = module ? module_image(module, judge->input) : NULL;
        if (!image || module->kind != MODULE_INTERPRETER)
            return VERDICT_NATIVE;
        uint64_t bias = module->record.bias;
        struct step step = {image, {0, 0}, branch_call_before(image, path->pcs[i + 1] - bias)};
        if (!eh_frame_function(image, looked_up(path, i) - bias, &step.function))
            step.function = (struct elf_range){0, 0};
        enum finding finding = judge_step(judge, &step, bias, path->kind, is_maybe_native);
        if (finding == SURELY_PYTHON)
            return VERDICT_PYTHON;
        if (finding != GO_ON)
            is_maybe_native = finding == MAYBE_NATIVE;
    }
    return is_maybe_native ? VERDICT_NATIVE : VERDICT_PYTHON;
}

static enum verdict judge_path(struct judge *judge, const struct path *path)
{
    bool is_call = path->kind == OPCODE_CALL || path->kind == OPCODE_CALL_C;
    if (path->n && is_in_kernel(judge, path->pcs[0]))
        return VERDICT_SYSTEM;
    if (path->n && interpreter_is_eval(&judge->interpreter, path->pcs[0]))
        return VERDICT_PYTHON;
    if (has_foreign_code(judge, path))
        return is_call && path->is_whole ? judge_call(judge, path) : VERDICT_NATIVE;
    if (!path->is_whole)
        return is_call ? VERDICT_NATIVE : VERDICT_PYTHON;
    if (is_call)
        return judge_call(judge, path);
    return path->kind == OPCODE_OTHER ? VERDICT_HELPER : VERDICT_PYTHON;
}

/* The ELF file is looked at when the first sample needs it, for by then all modules are known. */
static void complete_interpreter(struct judge *judge)
{
    struct interpreter *interpreter = &judge->interpreter;
    if (interpreter->is_complete)
        return;
    struct module *module = modules_find(&judge->modules, interpreter->eval);
    if (module)
        interpreter_complete(interpreter, module_image(module, judge->input), module->record.bias,
                             &judge->cache->entering);
}

enum verdict judge_python_thread(struct judge *judge, const struct record_sample *sample,
                                 const uint64_t *pcs)
{
    if (sample->head.flags & SAMPLE_IN_KERNEL)
        return VERDICT_SYSTEM;
    complete_interpreter(judge);
    struct path path = {pcs, sample->n_pcs,
                        opcode_kind_of(judge->interpreter.hexversion, sample->opcode), false};
    path.is_whole = path.n > 1 && (sample->head.flags & SAMPLE_REACHED_EVAL) &&
                    interpreter_is_eval(&judge->interpreter, pcs[path.n - 1] - 1);
    const uint64_t about[] = {judge->process, judge->n_changes,
                              (uint64_t)path.kind << 1 | path.is_whole};
    uint64_t hash = memo_hash(memo_hash(0, about, 3), pcs, path.n);
    struct memo_slot *slot = memo_slot(&judge->cache->verdicts, hash);
    if (slot->hash != hash)
        *slot = (struct memo_slot){hash, judge_path(judge, &path)};
    return (enum verdict)slot->answer;
}

bool judge_is_library(const struct judge *judge, uint64_t pc)
{
    const struct module *module = modules_find(&judge->modules, pc);
    return module && module->kind == MODULE_SYSTEM;
}

enum verdict judge_native_thread(struct judge *judge, const struct record_sample *sample,
                                 const uint64_t *pcs)
{
    bool is_kernel =
        (sample->head.flags & SAMPLE_IN_KERNEL) || (sample->n_pcs && is_in_kernel(judge, pcs[0]));
    return is_kernel ? VERDICT_SYSTEM : VERDICT_NATIVE;
}

void judge_fini(struct judge *judge)
{
    vec_fini(&judge->modules);
    interpreter_fini(&judge->interpreter);
}

void judge_cache_fini(struct judge_cache *cache)
{
    memo_fini(&cache->verdicts);
    map_fini(&cache->jumps);
    entering_cache_fini(&cache->entering);
}
