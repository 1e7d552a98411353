/* SPDX-License-Identifier: Apache-2.0 */
/* Records in: each kind has its function, which takes nothing on trust. */
#include "analyze/profile.h"

#include "analyze/fields.h"
#include "analyze/state.h"
#include "analyze/text.h"

struct profile *profile_new(const struct profile_input *input)
{
    struct profile *profile = xrealloc(NULL, sizeof *profile);
    *profile = (struct profile){.input = *input};
    if (profile->input.max_stacks == 0)
        profile->input.max_stacks = PROFILE_MAX_STACKS;
    return profile;
}

void profile_free(struct profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->processes.n; i++) {
        process_fini(profile->processes.items[i]);
        free(profile->processes.items[i]);
    }
    vec_fini(&profile->processes);
    map_fini(&profile->process_ids);
    judge_cache_fini(&profile->judge_cache);
    places_fini(&profile->places);
    stacks_fini(&profile->stacks);
    memo_fini(&profile->stack_memo);
    operations_fini(&profile->operations);
    ledger_fini(&profile->ledger);
    ledger_fini(&profile->idle);
    ledger_fini(&profile->waits);
    gil_fini(&profile->gil);
    memory_fini(&profile->memory);
    strtab_fini(&profile->strings);
    arena_fini(&profile->arena);
    arena_fini(&profile->result_arena);
    free(profile);
}

static struct process *process_of(struct profile *profile, uint32_t number)
{
    size_t *id = map_at(&profile->process_ids, &number, sizeof number, NULL);
    if (*id == 0) {
        struct process *process = xrealloc(NULL, sizeof *process);
        *process = (struct process){.judge = {.input = &profile->input,
                                              .cache = &profile->judge_cache,
                                              .process = profile->processes.n}};
        *vec_push(&profile->processes) = process;
        *id = profile->processes.n;
    }
    return profile->processes.items[*id - 1];
}

/* Strings that are bytes, not characters. */
static const char *take_bytes(struct profile *profile, struct fields *fields,
                              const struct record_string *string)
{
    struct field field = fields_string(fields, string);
    return text_from_bytes(&profile->arena, field.chars, field.n_chars * field.width);
}

static const char *const *take_list(struct profile *profile, struct fields *fields,
                                    const struct record_string *string)
{
    struct field field = fields_string(fields, string);
    return text_list(&profile->arena, field.chars, field.n_chars * field.width);
}

static bool add_process(struct profile *profile, struct process *process,
                        const struct record_header *head)
{
    const struct record_process *record = (const void *)head;
    struct fields fields = fields_after(head, sizeof *record);
    const char *cwd = take_bytes(profile, &fields, &record->cwd);
    const char *executable = take_bytes(profile, &fields, &record->executable);
    const char *const *arguments = take_list(profile, &fields, &record->arguments);
    if (fields.is_bad || process->is_described)
        return false;
    process->record = *record;
    process->is_described = true;
    process->cwd = cwd;
    process->executable = executable;
    process->arguments = arguments;
    process->places.program_string = filter_program_string(arguments, &process->code);
    process_saw_time(process, record->time_ns);
    process_switch(process, record->time_ns, head->flags & PROCESS_IS_OFF);
    return true;
}

static const char *take_text(struct profile *profile, struct fields *fields,
                             const struct record_string *string)
{
    struct field field = fields_string(fields, string);
    return text_from_python(&profile->arena, field.chars, field.n_chars, field.width);
}

static bool add_interpreter(struct profile *profile, struct process *process,
                            const struct record_header *head)
{
    const struct record_interpreter *record = (const void *)head;
    struct fields fields = fields_after(head, sizeof *record);
    const char *version = take_text(profile, &fields, &record->version);
    const char *base_prefix = take_text(profile, &fields, &record->base_prefix);
    const char *prefix = take_text(profile, &fields, &record->prefix);
    if (fields.is_bad)
        return false;
    process->version = version;
    process->places.base_prefix = *base_prefix ? base_prefix : NULL;
    process->places.prefix = *prefix ? prefix : NULL;
    judge_add_interpreter(&process->judge, record);
    return true;
}

static bool add_module(struct profile *profile, struct process *process,
                       const struct record_header *head)
{
    const struct record_module *record = (const void *)head;
    struct fields fields = fields_after(head, sizeof *record);
    struct field path = fields_string(&fields, &record->path);
    if (fields.is_bad || record->low >= record->high ||
        record->n_build_id > sizeof record->build_id)
        return false;
    const char *kept =
        arena_strndup(&profile->arena, (const char *)path.chars, path.n_chars * path.width);
    judge_add_module(&process->judge, record, kept);
    return true;
}

static bool add_code(struct profile *profile, struct process *process,
                     const struct record_header *head)
{
    const struct code_home home = {&profile->strings, process->cwd,
                                   process->judge.interpreter.hexversion};
    struct code *code = codes_add(&process->codes, &home, (const void *)head);
    if (!code)
        return false;
    const char *shown = profile->input.shown_as
                            ? profile->input.shown_as(profile->input.shown_context, code->path)
                            : NULL;
    if (shown) {
        code->path = strtab_add(&profile->strings, shown, strlen(shown));
        code->is_profiled = true;
        return true;
    }
    code->is_profiled =
        filter_is_profiled(&profile->input.filter, &process->places, code->path) &&
        (!profile->input.is_wanted ||
         profile->input.is_wanted(profile->input.wanted_context, code->path, code->first_line));
    return true;
}

static bool add_thread(struct profile *profile, struct process *process,
                       const struct record_header *head)
{
    const struct record_thread *record = (const void *)head;
    struct thread *thread = process_thread(process, record->tid);
    if (thread && !thread->is_over) /* the kernel gave the number to another */
        sample_end_thread(profile, process, thread);
    thread = history_new_thread(profile, process, record->tid, record->cpu_ns);
    thread->creator_tid = record->creator_tid;
    process_name_thread(process, thread, record->ident);
    thread->is_main = head->flags & THREAD_IS_MAIN;
    thread->inside.start_ns = thread->inside.heard_ns = record->time_ns;
    process_saw_time(process, record->time_ns);
    return true;
}

static bool add_thread_name(struct profile *profile, struct process *process,
                            const struct record_header *head)
{
    const struct record_thread_name *record = (const void *)head;
    struct thread *thread = process_thread(process, record->tid);
    struct fields fields = fields_after(head, sizeof *record);
    const char *name = head->flags & NAME_IS_PYTHON ? take_text(profile, &fields, &record->name)
                                                    : take_bytes(profile, &fields, &record->name);
    if (fields.is_bad || !thread)
        return false;
    thread->name = record->name.width ? name : thread->name;
    thread->entry = record->entry ? record->entry : thread->entry;
    return true;
}

static bool add_thread_end(struct profile *profile, struct process *process,
                           const struct record_header *head)
{
    const struct record_thread_end *record = (const void *)head;
    struct thread *thread = process_thread(process, record->tid);
    if (!thread || thread->is_over)
        return false;
    thread_advance(thread, record->cpu_ns);
    inside_end_thread(thread, record->time_ns);
    wait_close(profile, thread, record->time_ns);
    sample_end_thread(profile, process, thread);
    process_saw_time(process, record->time_ns);
    return true;
}

static bool add_sample(struct profile *profile, struct process *process,
                       const struct record_header *head)
{
    return sample_add(profile, process, (const void *)head);
}

static bool add_end(struct profile *profile, struct process *process,
                    const struct record_header *head)
{
    const struct record_end *record = (const void *)head;
    process->total_cpu_ns = record->cpu_ns;
    memcpy(process->counters, record->counters, sizeof process->counters);
    process_saw_time(process, record->time_ns);
    for (size_t i = 0; i < process->threads.n; i++)
        wait_close(profile, &process->threads.items[i], record->time_ns);
    inside_end(profile, process);
    process->is_over = true;
    memory_end_process(profile, process);
    return true;
}

/* Waits are told of after the process's end, too. */
static bool add_wait(struct profile *profile, struct process *process,
                     const struct record_header *head)
{
    return wait_add(profile, process, (const void *)head);
}

static bool add_idle(struct profile *profile, struct process *process,
                     const struct record_header *head)
{
    return wait_add_idle(profile, process, (const void *)head);
}

static bool add_stack(struct profile *profile, struct process *process,
                      const struct record_header *head)
{
    return memory_add_stack(profile, process, (const void *)head);
}

static bool add_alloc(struct profile *profile, struct process *process,
                      const struct record_header *head)
{
    return memory_add_alloc(profile, process, (const void *)head);
}

static bool add_free(struct profile *profile, struct process *process,
                     const struct record_header *head)
{
    return memory_add_free(profile, process, (const void *)head);
}

static bool add_resident(struct profile *profile, struct process *process,
                         const struct record_header *head)
{
    return memory_add_resident(profile, process, (const void *)head);
}

static bool add_switch(struct profile *profile, struct process *process,
                       const struct record_header *head)
{
    const struct record_switch *record = (const void *)head;
    process_saw_time(process, record->time_ns);
    inside_switch(profile, process, record->time_ns, record->is_off != 0);
    process_switch(process, record->time_ns, record->is_off != 0);
    return true;
}

static bool add_run(struct profile *profile, const struct record_header *head)
{
    const struct record_run *record = (const void *)head;
    struct fields fields = fields_after(head, sizeof *record);
    const char *program = take_bytes(profile, &fields, &record->program);
    const char *entry_folder = take_bytes(profile, &fields, &record->entry_folder);
    const char *program_path = take_bytes(profile, &fields, &record->program_path);
    const char *const *arguments = take_list(profile, &fields, &record->arguments);
    if (fields.is_bad)
        return false;
    profile->program = program;
    profile->entry_folder = entry_folder;
    profile->program_path = program_path;
    profile->arguments = arguments;
    profile->memory.asked_mean = record->memory_mean;
    return true;
}

/* What to do with each kind; a record shorter than its fixed part is malformed. */
static const struct {
    size_t fixed_bytes;
    bool (*add)(struct profile *, struct process *, const struct record_header *);
} kinds[] = {
    [RECORD_PROCESS] = {sizeof(struct record_process), add_process},
    [RECORD_INTERPRETER] = {sizeof(struct record_interpreter), add_interpreter},
    [RECORD_MODULE] = {sizeof(struct record_module), add_module},
    [RECORD_CODE] = {sizeof(struct record_code), add_code},
    [RECORD_THREAD] = {sizeof(struct record_thread), add_thread},
    [RECORD_THREAD_END] = {sizeof(struct record_thread_end), add_thread_end},
    [RECORD_SAMPLE] = {sizeof(struct record_sample), add_sample},
    [RECORD_END] = {sizeof(struct record_end), add_end},
    [RECORD_WAIT] = {sizeof(struct record_wait), add_wait},
    [RECORD_IDLE] = {sizeof(struct record_wait), add_idle},
    [RECORD_STACK] = {sizeof(struct record_stack), add_stack},
    [RECORD_ALLOC] = {sizeof(struct record_alloc), add_alloc},
    [RECORD_FREE] = {sizeof(struct record_free), add_free},
    [RECORD_RESIDENT] = {sizeof(struct record_resident), add_resident},
    [RECORD_THREAD_NAME] = {sizeof(struct record_thread_name), add_thread_name},
    [RECORD_SWITCH] = {sizeof(struct record_switch), add_switch},
};

static bool add(struct profile *profile, uint32_t number, const struct record_header *record)
{
    if (record->kind == RECORD_RUN) /* of no process */
        return record->size >= sizeof(struct record_run) && add_run(profile, record);
    if (record->kind >= sizeof kinds / sizeof *kinds || !kinds[record->kind].add ||
        record->size < kinds[record->kind].fixed_bytes)
        return false;
    return kinds[record->kind].add(profile, process_of(profile, number), record);
}

void profile_add(struct profile *profile, uint32_t process, const struct record_header *record)
{
    if (!add(profile, process, record))
        profile->n_unknown_records++;
}

const struct profile_result *profile_finish(struct profile *profile)
{
    result_make(profile);
    return &profile->result;
}
