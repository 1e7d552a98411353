/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/interpreter.h"

#include "symbol/branch.h"
#include "symbol/eh_frame.h"
#include "symbol/plt.h"
#include "symbol/reference.h"

#define ADDRESSES_MAX 256 /* more would be a misread file */

bool addresses_has(const struct addresses *set, uint64_t address)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->items[i] == address)
            return true;
    return false;
}

void addresses_add(struct addresses *set, uint64_t address)
{
    if (set->n < ADDRESSES_MAX && !addresses_has(set, address))
        *vec_push(set) = address;
}

static void add_probe(struct interpreter *interpreter, const struct record_probe *probe)
{
    switch (probe->role) {
    case PROBE_EVAL:
        interpreter->eval = probe->address;
        break;
    case PROBE_PYTHON:
        addresses_add(&interpreter->python, probe->address);
        break;
    case PROBE_DISPATCH:
        addresses_add(&interpreter->dispatch, probe->address);
        break;
    case PROBE_DEALLOC:
        interpreter->dealloc = probe->address;
        break;
    default: /* of a later agent */
        break;
    }
}

void interpreter_init(struct interpreter *interpreter, const struct record_interpreter *record)
{
    interpreter->hexversion = record->hexversion;
    for (uint32_t i = 0; i < record->n_eval_parts && i < INTERPRETER_EVAL_PARTS; i++)
        interpreter->eval_parts[interpreter->n_eval_parts++] =
            (struct elf_range){record->eval_parts[i].low, record->eval_parts[i].high};
    for (uint32_t i = 0; i < record->n_probes && i < INTERPRETER_PROBES; i++)
        add_probe(interpreter, &record->probes[i]);
}

bool interpreter_is_eval(const struct interpreter *interpreter, uint64_t address)
{
    for (size_t i = 0; i < interpreter->n_eval_parts; i++)
        if (elf_holds(interpreter->eval_parts[i], address))
            return true;
    return false;
}

/* The entry of a Python function's call often ends in a jump to the function that does the work.
 * Jumps to what is not special to Python calls do not count. */
static void add_siblings(struct interpreter *interpreter, const struct elf_image *image,
                         uint64_t bias, uint64_t entry)
{
    struct elf_range range, target_range;
    if (!eh_frame_function(image, entry - bias, &range))
        return;
    struct branch_scan scan = {.image = image, .range = range, .at = range.low};
    while (branch_next(&scan)) {
        uint64_t target = plt_target(image, scan.target), address = target + bias;
        bool is_start =
            eh_frame_function(image, target, &target_range) && target_range.low == target;
        if (is_start && !interpreter_is_eval(interpreter, address) &&
            address != interpreter->dealloc && !addresses_has(&interpreter->dispatch, address))
            addresses_add(&interpreter->python, address);
    }
}

/* Looks through the whole text for calls of and jumps to the evaluation loop or a stub of it. */
static void find_entering(const struct elf_image *image, uint64_t eval, struct addresses *functions)
{
    uint64_t targets[8] = {eval};
    size_t n = 1 + plt_stubs(image, eval, targets + 1, 7);
    struct elf_range function;
    for (size_t i = 0; i < image->n_segments; i++) {
        const struct elf_segment *segment = &image->segments[i];
        struct reference_scan scan = {.image = image,
                                      .range = segment->at,
                                      .at = segment->at.low,
                                      .targets = targets,
                                      .n_targets = n};
        while (segment->is_executable && reference_next(&scan))
            if (branch_ends_at(image, scan.at) && eh_frame_function(image, scan.at, &function))
                addresses_add(functions, function.low);
    }
}

static const struct addresses *entering_of(struct entering_cache *cache,
                                           const struct elf_image *image, uint64_t eval)
{
    for (size_t i = 0; i < cache->images.n; i++)
        if (cache->images.items[i].image == image && cache->images.items[i].eval == eval)
            return &cache->images.items[i].functions;
    vec_push(&cache->images);
    size_t last = cache->images.n - 1;
    cache->images.items[last].image = image;
    cache->images.items[last].eval = eval;
    find_entering(image, eval, &cache->images.items[last].functions);
    return &cache->images.items[last].functions;
}

void interpreter_complete(struct interpreter *interpreter, const struct elf_image *image,
                          uint64_t bias, struct entering_cache *cache)
{
    interpreter->is_complete = true;
    if (!image)
        return;
    for (size_t i = 0, n = interpreter->python.n; i < n; i++)
        add_siblings(interpreter, image, bias, interpreter->python.items[i]);
    if (interpreter->hexversion < 0x030b0000 || !interpreter->eval)
        return;
    const struct addresses *functions = entering_of(cache, image, interpreter->eval - bias);
    for (size_t i = 0; i < functions->n; i++) {
        uint64_t address = functions->items[i] + bias;
        if (!interpreter_is_eval(interpreter, address) &&
            !addresses_has(&interpreter->python, address))
            addresses_add(&interpreter->entering, address);
    }
}

void interpreter_fini(struct interpreter *interpreter)
{
    vec_fini(&interpreter->python);
    vec_fini(&interpreter->entering);
    vec_fini(&interpreter->dispatch);
}

void entering_cache_fini(struct entering_cache *cache)
{
    for (size_t i = 0; i < cache->images.n; i++)
        vec_fini(&cache->images.items[i].functions);
    vec_fini(&cache->images);
}
