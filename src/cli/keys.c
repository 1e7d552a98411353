/* SPDX-License-Identifier: Apache-2.0 */
/* Only these variables are ever read, and the result goes nowhere but to the page on loopback. */
#include "cli/keys.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    "OPENAI_API_KEY",       "ANTHROPIC_API_KEY",     "GEMINI_API_KEY",    "GOOGLE_API_KEY",
    "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",    "AWS_DEFAULT_REGION",    "AWS_REGION",
};

char *keys_from_environment(void)
{
    json_t *keys = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        /* A value that is no UTF-8 is no key; jansson refuses it. */
        if (value && *value)
            json_object_set_new(keys, names[i], json_string(value));
    }
    char *text = json_dumps(keys, JSON_ENSURE_ASCII | JSON_COMPACT);
    json_decref(keys);
    return text;
}

/* Stores that the compiler may not leave out; explicit_bzero is missing before glibc 2.25. */
static void wipe(volatile char *text)
{
    while (*text)
        *text++ = '\0';
}

void keys_free(char *keys)
{
    if (keys)
        wipe(keys);
    free(keys);
}
