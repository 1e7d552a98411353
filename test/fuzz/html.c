/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the way of a profile into the HTML file: whatever jansson reads as an object our check of
 * JSON takes, and whatever the check takes stays within its element and means the same there.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -std=gnu11 -D_GNU_SOURCE -Isrc \
 *         test/fuzz/html.c src/report/html.c src/base/jsontext.c src/base/err.c -ljansson \
 *         -o fuzz-html && ./fuzz-html corpus schema/examples */
#include "report/html.h"
#include "base/jsontext.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n_bytes);

#define BEFORE "<script type=\"application/json\" id=\"profile\">"
#define AFTER  "</script>"

static void write_page(const unsigned char *data, size_t n_bytes, char **page, size_t *n)
{
    struct err e;
    FILE *json = fmemopen((void *)data, n_bytes, "r"), *out = open_memstream(page, n);
    if (!json || !out || !report_html(BEFORE AFTER, strlen(BEFORE AFTER), json, NULL, out, &e))
        abort();
    fclose(json);
    fclose(out);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n_bytes)
{
    json_t *was = json_loadb((const char *)data, n_bytes, JSON_ALLOW_NUL, NULL);
    bool is_object = jsontext_is_object((const char *)data, n_bytes);
    if (json_is_object(was) && !is_object)
        abort();
    if (is_object) {
        char *page;
        size_t n;
        write_page(data, n_bytes, &page, &n);
        const char *inside = page + strlen(BEFORE);
        size_t n_inside = n - strlen(BEFORE AFTER);
        if (memchr(inside, '<', n_inside) || memmem(inside, n_inside, "\xe2\x80\xa8", 3))
            abort();
        json_t *is = json_loadb(inside, n_inside, JSON_ALLOW_NUL, NULL);
        if (was && (!is || !json_equal(was, is)))
            abort();
        json_decref(is);
        free(page);
    }
    json_decref(was);
    return 0;
}
