/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/module.h"

/* How the names of system libraries begin. Our own agent counts as one: it serves its caller too.
 */
static const char *const system_names[] = {
    "libc.so",    "libc-", "ld-",   "ld.so",      "libm.so", "libm-",
    "libpthread", "libdl", "librt", "linux-vdso", "[vdso]",  "libscalene",
};

static bool is_system(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof system_names / sizeof *system_names; i++)
        if (strncmp(name, system_names[i], strlen(system_names[i])) == 0)
            return true;
    return false;
}

/* The first module that ends after an address: where it is, or would be. */
static size_t place_of(const struct modules *modules, uint64_t address)
{
    size_t low = 0, high = modules->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (modules->items[middle].record.high <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void modules_add(struct modules *modules, const struct record_module *record, const char *path)
{
    size_t first = place_of(modules, record->low), last = first;
    while (last < modules->n && modules->items[last].record.low < record->high)
        last++;
    vec_push(modules);
    size_t n_after = modules->n - 1 - last;
    memmove(&modules->items[first + 1], &modules->items[last], n_after * sizeof *modules->items);
    modules->n = first + 1 + n_after;
    modules->items[first] = (struct module){
        .record = *record, .path = path, .kind = is_system(path) ? MODULE_SYSTEM : MODULE_OTHER};
}

void modules_set_interpreter(struct modules *modules, uint64_t eval_address)
{
    struct module *module = modules_find(modules, eval_address);
    if (module)
        module->kind = MODULE_INTERPRETER;
}

struct module *modules_find(const struct modules *modules, uint64_t address)
{
    size_t i = place_of(modules, address);
    return i < modules->n && modules->items[i].record.low <= address ? &modules->items[i] : NULL;
}

const struct elf_image *module_image(struct module *module, const struct profile_input *input)
{
    if (!module->is_image_asked && input->image_of)
        module->image = input->image_of(input->image_context, &module->record, module->path);
    module->is_image_asked = true;
    return module->image;
}
