/* SPDX-License-Identifier: Apache-2.0 */
/* Joins collect, analyze and report: the one place where the whole line can be seen. */
#include "cli/make.h"

#include "base/vec.h"
#include "cli/cells.h"
#include "cli/output.h"
#include "cli/path.h"
#include "cli/progress.h"
#include "report/json.h"
#include "source/decorated.h"
#include "source/source.h"
#include "symbol/elf.h"

struct made {
    const struct make_options *options; /* borrowed */
    struct arena arena;
    struct elf_cache images;
    struct sources sources;
    struct cells cells;
    struct profile *profile;
    const struct profile_result *result;
};

static const struct elf_image *image_of(void *images, const struct record_module *module,
                                        const char *path)
{
    size_t n = module->n_build_id <= sizeof module->build_id ? module->n_build_id : 0;
    return elf_open(images, path, module->build_id, n);
}

/* "a,b" as a NULL-ended list; NULL for nothing. */
static const char *const *split(const char *list, struct arena *arena)
{
    vec_of(const char *) parts = {0};
    while (list && *list) {
        size_t n = strcspn(list, ",");
        if (n)
            *vec_push(&parts) = arena_strndup(arena, list, n);
        list += n + (list[n] == ',');
    }
    if (parts.n == 0)
        return NULL;
    const char **kept = arena_alloc(arena, (parts.n + 1) * sizeof *kept);
    memcpy(kept, parts.items, parts.n * sizeof *kept);
    vec_fini(&parts);
    return kept;
}

/* A string of the first record, which may come from a file: the i-th of its strings. */
static const char *text_in(const struct record_header *record, size_t i, struct arena *arena)
{
    const struct record_run *run = (const void *)record;
    if (record->kind != RECORD_RUN || record->size < sizeof *run)
        return "";
    const struct record_string *strings[] = {&run->program, &run->entry_folder, &run->program_path};
    uint64_t start = sizeof *run, n = strings[i]->n_chars;
    for (size_t k = 0; k < i; k++)
        start += ((uint64_t)strings[k]->n_chars * strings[k]->width + 7) & ~7ull;
    if (strings[i]->width != 1 || n > record->size || start > record->size - n)
        return "";
    return arena_strndup(arena, (const char *)record + start, n);
}

bool make_has_decorator(const char *program)
{
    struct source source;
    struct err e;
    if (!program || !source_mentions(program, MAKE_DECORATOR) || !source_load(&source, program, &e))
        return false;
    bool needs = decorated_needs(&source, MAKE_DECORATOR);
    source_fini(&source);
    return needs;
}

static bool is_decorated(void *sources, const char *path, int first_line)
{
    const struct source *source = sources_of(sources, path);
    return source && first_line > 0 && decorated_has(source, MAKE_DECORATOR, (uint32_t)first_line);
}

static struct profile *new_profile(struct made *made, const struct record_header *first)
{
    const struct make_options *o = made->options;
    struct profile_input input = {
        .filter = {.program_path = o->program_path ? path_absolute(o->program_path, &made->arena)
                                                   : text_in(first, 2, &made->arena),
                   .only = split(o->only, &made->arena),
                   .exclude = split(o->exclude, &made->arena),
                   .is_all = o->is_all,
                   .has_system_libraries = o->has_system_libraries},
        .image_of = image_of,
        .image_context = &made->images,
        .shown_as = cells_shown,
        .shown_context = &made->cells};
    if (make_has_decorator(text_in(first, 0, &made->arena))) {
        input.is_wanted = is_decorated;
        input.wanted_context = &made->sources;
    }
    return profile_new(&input);
}

struct made *made_new(const struct make_options *options)
{
    struct err e;
    struct made *made = xrealloc(NULL, sizeof *made);
    *made = (struct made){.options = options};
    if (options->cells && !cells_load(&made->cells, options->cells, &e))
        cells_fini(&made->cells); /* then cells are called what Python calls them */
    return made;
}

void made_read(struct made *made, struct collect *collect)
{
    const struct record_header *record;
    uint32_t process;
    bool is_ended = false;
    while (collect_next(collect, &process, &record)) {
        if (!made->profile)
            made->profile = new_profile(made, record);
        profile_add(made->profile, process, record);
        if (!is_ended && (is_ended = collect_has_ended(collect)))
            progress_show("reading the last records");
    }
    progress_show("working out the profile");
    made_work_out(made);
    progress_show(NULL);
}

void made_work_out(struct made *made)
{
    const struct record_header nothing = {.size = sizeof nothing};
    if (!made->profile)
        made->profile = new_profile(made, &nothing);
    made->result = profile_finish(made->profile);
    if (made->result->code)
        sources_put(&made->sources, "<string>", made->result->code);
}

const struct profile_result *made_result(const struct made *made)
{
    return made->result;
}

static const struct source *source_of(void *context, const char *path)
{
    struct made *made = context;
    return sources_of(&made->sources, cells_text(&made->cells, path));
}

static bool write_json(void *context, FILE *out, struct err *e)
{
    struct made *made = context;
    struct report_options options = {.cpu_percent_threshold = made->options->cpu_percent_threshold,
                                     .is_reduced = made->options->is_reduced,
                                     .has_no_leaks = !made->options->has_leaks,
                                     .has_no_stacks = !made->options->has_stacks,
                                     .source_of = source_of,
                                     .source_context = made,
                                     .engine = "thread-cpu-timer",
                                     .collector_cpu_s = collect_own_cpu_s()};
    if (made->options->malloc_threshold >= 0)
        options.malloc_threshold = &made->options->malloc_threshold;
    return report_json(made->result, &options, out, e);
}

bool made_save(struct made *made, const char *path, struct err *e)
{
    progress_show("writing the profile");
    bool is_written = output_write(path, write_json, made, e);
    progress_show(NULL);
    return is_written;
}

void made_free(struct made *made)
{
    profile_free(made->profile);
    sources_fini(&made->sources);
    cells_fini(&made->cells);
    elf_cache_fini(&made->images);
    arena_fini(&made->arena);
    free(made);
}
