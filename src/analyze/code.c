/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code.h"

#include "analyze/fields.h"
#include "analyze/text.h"

#define CO_COROUTINE       0x0080u
#define CO_ASYNC_GENERATOR 0x0200u

/* Code objects Python makes for parts of a function. */
static const char *const comprehension_names[] = {"<listcomp>", "<setcomp>", "<dictcomp>",
                                                  "<genexpr>"};

static bool ends_with(const char *text, size_t n, const char *end)
{
    size_t n_end = strlen(end);
    return n >= n_end && memcmp(text + n - n_end, end, n_end) == 0;
}

/* The length of a qualified name without comprehensions at its end; 0 when nothing is left, which
 * means the module itself. */
static size_t enclosing_bytes(const char *name)
{
    size_t n = strlen(name), before;
    do {
        before = n;
        for (size_t i = 0; i < sizeof comprehension_names / sizeof *comprehension_names; i++)
            if (ends_with(name, n, comprehension_names[i]))
                n -= strlen(comprehension_names[i]);
        if (n < before && n > 0 && name[n - 1] == '.')
            n--;
        if (n < before && ends_with(name, n, ".<locals>"))
            n -= strlen(".<locals>");
    } while (n < before);
    return n;
}

static bool is_comprehension_name(const char *name)
{
    for (size_t i = 0; i < sizeof comprehension_names / sizeof *comprehension_names; i++)
        if (strcmp(name, comprehension_names[i]) == 0)
            return true;
    return false;
}

static const char *keep(const struct code_home *home, const char *text)
{
    return strtab_add(home->strings, text, strlen(text));
}

/* Fills in `path` and the name from the record's three strings. */
static void set_names(struct code *code, const struct code_home *home,
                      const struct field strings[3])
{
    struct arena scratch = {0};
    const char *text[3];
    for (int i = 0; i < 3; i++)
        text[i] =
            text_from_python(&scratch, strings[i].chars, strings[i].n_chars, strings[i].width);
    code->path = keep(home, text_absolute_path(&scratch, home->cwd, text[0]));
    code->is_comprehension = is_comprehension_name(text[1]);
    code->is_qualified = text[2][0] != 0;
    code->name = keep(home, code->is_qualified ? text[2] : text[1]);
    if (code->is_qualified && code->is_comprehension) {
        size_t n = enclosing_bytes(code->name);
        code->name = n ? strtab_add(home->strings, code->name, n) : keep(home, "<module>");
    }
    arena_fini(&scratch);
}

static struct code **slot_of(struct codes *codes, uint32_t id)
{
    code_table *table = id & CODE_ID_OUTSIDE ? &codes->outside : &codes->inside;
    while (table->n <= (id & ~CODE_ID_OUTSIDE))
        vec_push(table);
    return &table->items[id & ~CODE_ID_OUTSIDE];
}

static bool is_number(uint32_t id)
{
    return (id & ~CODE_ID_OUTSIDE) != 0 && (id & ~CODE_ID_OUTSIDE) <= CODE_ID_MAX;
}

struct code *codes_add(struct codes *codes, const struct code_home *home,
                       const struct record_code *record)
{
    struct fields fields = fields_after(&record->head, sizeof *record);
    struct field strings[3] = {fields_string(&fields, &record->filename),
                               fields_string(&fields, &record->name),
                               fields_string(&fields, &record->qualname)};
    const uint8_t *table = fields_bytes(&fields, record->line_table_bytes);
    if (fields.is_bad || !is_number(record->id))
        return NULL;
    struct code *code = arena_alloc(&codes->arena, sizeof *code);
    set_names(code, home, strings);
    code->first_line = record->first_line;
    code->is_coroutine = record->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR);
    code->lines = linetable_decode(&codes->arena, home->hexversion, record->first_line, table,
                                   record->line_table_bytes);
    *slot_of(codes, record->id) = code;
    return code;
}

struct code *codes_find(const struct codes *codes, uint32_t id)
{
    const code_table *table = id & CODE_ID_OUTSIDE ? &codes->outside : &codes->inside;
    uint32_t number = id & ~CODE_ID_OUTSIDE;
    return number < table->n ? table->items[number] : NULL;
}

void codes_fini(struct codes *codes)
{
    vec_fini(&codes->inside);
    vec_fini(&codes->outside);
    arena_fini(&codes->arena);
}

/* Instructions without a line belong to the last one before them that has one. */
int code_line(const struct code *code, int32_t instr)
{
    const struct linetable_entry *entry =
        instr < 0 ? NULL : linetable_find(&code->lines, (uint32_t)instr);
    while (entry && entry->line < 1)
        entry = entry == code->lines.entries ? NULL : entry - 1;
    int line = entry ? entry->line : code->first_line;
    return line < 1 ? 1 : line;
}
