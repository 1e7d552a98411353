/* SPDX-License-Identifier: Apache-2.0 */
/* A YAML file of options, read by libyaml: a mapping of names to scalars or lists of scalars. */
#include "cli/config.h"

#include <string.h>
#include <yaml.h>

static const char *text_of(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

/* Plain emptiness, ~ and null say nothing, so that the key can stand there as a reminder. */
static bool is_null(const yaml_node_t *node)
{
    const char *text = text_of(node);
    return node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (!*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

/* [a, b] as "a,b". */
static const char *joined(struct config *config, yaml_document_t *document, const yaml_node_t *list)
{
    const char *text = "";
    for (yaml_node_item_t *item = list->data.sequence.items.start;
         item < list->data.sequence.items.top; item++) {
        const yaml_node_t *node = yaml_document_get_node(document, *item);
        if (!node || node->type != YAML_SCALAR_NODE)
            return NULL;
        text = arena_printf(&config->arena, "%s%s%s", text, *text ? "," : "", text_of(node));
    }
    return text;
}

static bool add_pair(struct config *config, yaml_document_t *document, const yaml_node_pair_t *pair,
                     struct err *e)
{
    const yaml_node_t *key = yaml_document_get_node(document, pair->key);
    const yaml_node_t *value = yaml_document_get_node(document, pair->value);
    size_t line = key ? key->start_mark.line + 1 : 0;
    const char *text = NULL;
    if (!key || !value || key->type != YAML_SCALAR_NODE)
        return err_set(e, "invalid YAML in config file '%s': line %zu is not 'name: value'.",
                       config->path, line);
    if (value->type == YAML_SCALAR_NODE && is_null(value))
        return true;
    if (value->type == YAML_SCALAR_NODE)
        text = arena_printf(&config->arena, "%s", text_of(value));
    else if (value->type == YAML_SEQUENCE_NODE)
        text = joined(config, document, value);
    if (!text)
        return err_set(e, "in %s:%zu: %s needs one value or a list of values.", config->path, line,
                       text_of(key));
    *vec_push(&config->entries) = (struct config_entry){
        .key = arena_printf(&config->arena, "%s", text_of(key)), .value = text, .line = line};
    return true;
}

static bool add_document(struct config *config, yaml_document_t *document, struct err *e)
{
    const yaml_node_t *root = yaml_document_get_root_node(document);
    if (!root || (root->type == YAML_SCALAR_NODE && is_null(root)))
        return true;
    if (root->type != YAML_MAPPING_NODE)
        return err_set(e, "config file '%s' must be a mapping: lines like 'profile-all: true'.",
                       config->path);
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++)
        if (!add_pair(config, document, pair, e))
            return false;
    return true;
}

bool config_read_yaml(struct config *config, const char *text, size_t n_bytes, struct err *e)
{
    yaml_parser_t parser;
    yaml_document_t document;
    bool is_read = false;
    if (!yaml_parser_initialize(&parser))
        return err_set(e, "there is no memory to read '%s'.", config->path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n_bytes);
    if (yaml_parser_load(&parser, &document)) {
        is_read = add_document(config, &document, e);
        yaml_document_delete(&document);
    } else {
        err_set(e, "invalid YAML in config file '%s': line %zu: %s.", config->path,
                parser.problem_mark.line + 1, parser.problem ? parser.problem : "not understood");
    }
    yaml_parser_delete(&parser);
    return is_read;
}
