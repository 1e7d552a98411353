/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of option tables: long options with unique-prefix abbreviation, clusters of letters,
 * values attached or separate, and suggestions for what was mistyped. */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_BYTES 64

/* Where the parser stands. */
struct cursor {
    const struct option_table *table;
    const char *const *at; /* the next argument */
    void *values;
    struct parsed *parsed;
    bool is_python_only; /* after "---": only python's own flags are options */
    bool is_done;
};

const struct option *options_at(const struct option_table *table, size_t i)
{
    for (size_t part = 0; part < OPTION_PARTS && table->parts[part]; part++) {
        if (i < table->parts[part]->n)
            return &table->parts[part]->options[i];
        i -= table->parts[part]->n;
    }
    return NULL;
}

static bool takes_value(const struct option *option)
{
    return option->value != NULL;
}

static bool is_pythons(const struct option *option)
{
    return option->kind == OPTION_PASSED || option->kind == OPTION_PASSED_VALUE || option->is_last;
}

const char *option_label(const struct option *option, char label[64])
{
    if (option->name)
        snprintf(label, 64, "--%s", option->name);
    else
        snprintf(label, 64, "-%c", option->letter);
    return label;
}

static bool set_number(const struct option *option, double *number, const char *value,
                       struct err *e)
{
    char label[64], *end;
    *number = strtod(value, &end);
    if (end != value && *end == '\0' && *number >= option->low && *number <= option->high)
        return true;
    return err_set(e, "%s needs %s, not '%s'.", option_label(option, label), option->wants, value);
}

/* A switch: given on the command line, or said to be on or off elsewhere. */
static void set_switch(const struct option *option, void *values, bool is_on)
{
    char *base = values;
    if (option->kind == OPTION_ON || option->kind == OPTION_OFF) {
        *(bool *)(base + option->offset) = is_on == (option->kind == OPTION_ON);
        return;
    }
    *(int *)(base + option->offset) = is_on ? option->choice : option->otherwise;
    if (option->also)
        *(int *)(base + option->also) = is_on ? option->choice : option->otherwise;
}

static bool apply(struct cursor *c, const struct option *option, const char *value, struct err *e)
{
    void *field = (char *)c->values + option->offset;
    char label[64];
    switch (option->kind) {
    case OPTION_ON:
    case OPTION_OFF:
    case OPTION_CHOICE:
        set_switch(option, c->values, true);
        break;
    case OPTION_TEXT:
        if (option->also && !option->is_last(value))
            field = (char *)c->values + option->also;
        *(const char **)field = value;
        break;
    case OPTION_NUMBER:
        if (!set_number(option, field, value, e))
            return false;
        break;
    case OPTION_PASSED:
    case OPTION_PASSED_VALUE:
    case OPTION_IGNORED:
    case OPTION_IGNORED_VALUE:
        break;
    }
    if (option->kind == OPTION_TEXT && *value == '\0' && !option->is_last && option->wants)
        return err_set(e, "%s needs %s.", option_label(option, label), option->wants);
    if (option->later)
        *vec_push(&c->parsed->later) = option;
    *vec_push(&c->parsed->seen) = option;
    if (option->is_last && (c->is_python_only || option->is_last(value)))
        c->is_done = true;
    return true;
}

/* The value of an option: attached to it, or the next argument. */
static bool take_value(struct cursor *c, const struct option *option, const char *attached,
                       const char **value, struct err *e)
{
    char label[64];
    *value = attached ? attached : *c->at;
    if (!*value)
        return err_set(e, "%s needs a value (%s).", option_label(option, label), option->value);
    if (!attached)
        c->at++;
    return true;
}

/* Edit distance between two short names; two letters in the wrong order are one edit. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    size_t edits[NAME_MAX_BYTES + 1][NAME_MAX_BYTES + 1];
    if (n > NAME_MAX_BYTES || m > NAME_MAX_BYTES)
        return SIZE_MAX;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                edits[i][j] = i + j;
                continue;
            }
            size_t least = edits[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            least = edits[i - 1][j] + 1 < least ? edits[i - 1][j] + 1 : least;
            least = edits[i][j - 1] + 1 < least ? edits[i][j - 1] + 1 : least;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                edits[i - 2][j - 2] + 1 < least)
                least = edits[i - 2][j - 2] + 1;
            edits[i][j] = least;
        }
    return edits[n][m];
}

bool name_is_nearer(const char *typed, const char *name, size_t *within)
{
    size_t d = distance(typed, name);
    if (d >= *within || 2 * d > strlen(typed))
        return false;
    *within = d;
    return true;
}

const char *options_nearest(const struct option_table *table, const char *name, bool is_key)
{
    const char *nearest = NULL;
    const struct option *option;
    size_t within = NAME_NEAR_ENOUGH;
    for (size_t i = 0; (option = options_at(table, i)); i++) {
        if (!option->name || option->shown == SHOWN_NEVER || (is_key && !option_is_key(option)))
            continue;
        if (name_is_nearer(name, option->name, &within))
            nearest = option->name;
    }
    return nearest;
}

static bool unknown(const struct option_table *table, const char *name, struct err *e)
{
    const char *nearest = options_nearest(table, name, false);
    if (nearest)
        return err_set(e, "there is no option --%s; did you mean --%s?", name, nearest);
    return err_set(e, "there is no option --%s; --help and --help-advanced list them all.", name);
}

/* The option of this name or of the only name that begins with it. */
static bool find_long(const struct option_table *table, const char *name,
                      const struct option **found, struct err *e)
{
    const struct option *second = NULL;
    *found = NULL;
    const struct option *option;
    for (size_t i = 0; (option = options_at(table, i)); i++) {
        if (!option->name || strncmp(option->name, name, strlen(name)) != 0)
            continue;
        if (strcmp(option->name, name) == 0) {
            *found = option;
            return true;
        }
        if (option->shown == SHOWN_NEVER)
            continue;
        if (*found)
            second = option;
        else
            *found = option;
    }
    if (second)
        return err_set(e, "--%s can mean --%s or --%s.", name, (*found)->name, second->name);
    return *found || unknown(table, name, e);
}

static bool parse_long(struct cursor *c, const char *argument, struct err *e)
{
    char name[64];
    const char *equals = strchr(argument, '='), *value = equals ? equals + 1 : NULL;
    size_t n = equals ? (size_t)(equals - argument) - 2 : strlen(argument) - 2;
    const struct option *option;
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), argument + 2);
    c->at++;
    if (!find_long(c->table, name, &option, e))
        return false;
    if (!takes_value(option) && value)
        return err_set(e, "--%s takes no value.", option->name);
    if (takes_value(option) && !take_value(c, option, value, &value, e))
        return false;
    return apply(c, option, value, e);
}

static const struct option *find_letter(const struct cursor *c, char letter)
{
    const struct option *option;
    for (size_t i = 0; (option = options_at(c->table, i)); i++)
        if (option->letter == letter && (!c->is_python_only || is_pythons(option)))
            return option;
    return NULL;
}

/* Whether a cluster is made of python's flags alone: then python gets it as it was typed. */
static bool is_all_pythons(const struct cursor *c, const char *letters)
{
    for (; *letters; letters++) {
        const struct option *option = find_letter(c, *letters);
        if (option && option->kind == OPTION_PASSED_VALUE)
            return true;
        if (!option || option->kind != OPTION_PASSED)
            return false;
    }
    return true;
}

/* A cluster: letters without a value, then perhaps one with its value attached or following. */
static bool parse_letters(struct cursor *c, const char *argument, struct err *e)
{
    bool is_verbatim = is_all_pythons(c, argument + 1);
    c->at++;
    if (is_verbatim)
        *vec_push(&c->parsed->passed) = argument;
    for (const char *letter = argument + 1; *letter; letter++) {
        const struct option *option = find_letter(c, *letter);
        const char *value = NULL, *attached = letter[1] ? letter + 1 : NULL;
        if (!option)
            return err_set(e, "there is no option -%c; --help lists them all.", *letter);
        bool is_passed = option->kind == OPTION_PASSED || option->kind == OPTION_PASSED_VALUE;
        if (takes_value(option) && !take_value(c, option, attached, &value, e))
            return false;
        if (is_passed && !is_verbatim)
            *vec_push(&c->parsed->passed) = option->passed_as;
        if (is_passed && value && !(is_verbatim && attached))
            *vec_push(&c->parsed->passed) = value;
        if (!apply(c, option, value, e))
            return false;
        if (value)
            break;
    }
    return true;
}

static bool parse_one(struct cursor *c, struct err *e)
{
    const char *argument = *c->at;
    bool is_plain = argument[0] != '-' || argument[1] == '\0';
    if (strcmp(argument, "---") == 0 || strcmp(argument, "--") == 0) {
        c->at++;
        c->is_done = c->is_python_only || !c->table->is_launcher || argument[2] == '\0';
        c->is_python_only = true;
        return true;
    }
    if (is_plain) {
        c->is_done = c->table->is_launcher;
        if (!c->is_done)
            *vec_push(&c->parsed->rest) = *c->at++;
        return true;
    }
    if (argument[1] != '-')
        return parse_letters(c, argument, e);
    if (c->is_python_only)
        return err_set(e, "after --- a program is expected, not '%s'.", argument);
    return parse_long(c, argument, e);
}

/* Two that exclude each other were given at the same place. */
static bool check_excluded(const struct parsed *parsed, struct err *e)
{
    char label[64];
    for (size_t i = 0; i < parsed->seen.n; i++)
        for (size_t j = 0; j < parsed->seen.n; j++) {
            const struct option *one = parsed->seen.items[i], *other = parsed->seen.items[j];
            if (one->excludes && other->name && strcmp(one->excludes, other->name) == 0)
                return err_set(e, "%s and --%s exclude each other.", option_label(one, label),
                               other->name);
        }
    return true;
}

bool options_parse(const struct option_table *table, const char *const *arguments, void *values,
                   struct parsed *parsed, struct err *e)
{
    struct cursor c = {.table = table, .at = arguments, .values = values, .parsed = parsed};
    *parsed = (struct parsed){0};
    while (*c.at && !c.is_done)
        if (!parse_one(&c, e))
            return false;
    while (*c.at)
        *vec_push(&parsed->rest) = *c.at++;
    return check_excluded(parsed, e);
}

void parsed_fini(struct parsed *parsed)
{
    vec_fini(&parsed->rest);
    vec_fini(&parsed->passed);
    vec_fini(&parsed->later);
    vec_fini(&parsed->seen);
}

bool option_is_key(const struct option *option)
{
    bool has_field = option->kind <= OPTION_NUMBER || option->shown != SHOWN_NEVER;
    return option->name && !option->is_typed && has_field;
}

const struct option *options_find(const struct option_table *table, const char *name)
{
    const struct option *option;
    for (size_t i = 0; (option = options_at(table, i)); i++) {
        bool is_letter = name[0] == '-' && name[1] && !name[2] && name[1] == option->letter;
        bool is_name = option->name && strcmp(option->name, name) == 0;
        if (is_letter || is_name || (option->alias && strcmp(option->alias, name) == 0))
            return option;
    }
    return NULL;
}

/* -1: neither yes nor no. */
static int truth_of(const char *value)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(value, words[i]) == 0)
            return (int)(i & 1);
    return -1;
}

enum option_set options_set(const struct option_table *table, const char *name, const char *value,
                            void *values, struct parsed *parsed, struct err *e)
{
    char dashed[64];
    struct cursor c = {.table = table, .values = values, .parsed = parsed};
    snprintf(dashed, sizeof dashed, "%s", name);
    for (char *at = dashed; *at; at++)
        *at = *at == '_' ? '-' : *at;
    const struct option *option = dashed[0] == '-' ? NULL : options_find(table, dashed);
    if (!option || !option_is_key(option))
        return OPTION_UNKNOWN;
    if (takes_value(option))
        return apply(&c, option, value, e) && check_excluded(parsed, e) ? OPTION_SET : OPTION_WRONG;
    int is_on = truth_of(value);
    if (is_on < 0) {
        err_set(e, "%s is true or false, not '%s'.", option->name, value);
        return OPTION_WRONG;
    }
    if (is_on)
        return apply(&c, option, NULL, e) && check_excluded(parsed, e) ? OPTION_SET : OPTION_WRONG;
    if (option->kind <= OPTION_CHOICE)
        set_switch(option, values, false);
    return OPTION_SET;
}
