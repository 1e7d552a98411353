/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the text view with any JSON: it must not crash, and nothing but text may come out.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -std=gnu11 -D_GNU_SOURCE -Isrc \
 *         -DSCALENE_VERSION='"fuzz"' test/fuzz/view.c src/report/[a-z]*.c src/source/[a-z]*.c \
 *         src/base/[a-z]*.c -ljansson -lm -o fuzz-view && ./fuzz-view corpus schema/examples */
#include "report/text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n_bytes);

static void view(const json_t *profile, const struct text_options *o)
{
    char *text = NULL;
    size_t n = 0;
    struct err e;
    FILE *out = open_memstream(&text, &n);
    if (!out || !report_text(profile, o, out, &e))
        abort();
    fclose(out);
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < 0x20 && text[i] != '\n')
            abort();
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n_bytes)
{
    static const struct text_options options[] = {
        {.columns = 80},
        {.columns = 30, .is_ascii = true, .lines = TEXT_LINES_REDUCED},
        {.columns = 200, .lines = TEXT_LINES_ALL},
    };
    json_t *profile =
        json_loadb((const char *)data, n_bytes, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (!profile)
        return 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        view(profile, &options[i]);
    json_decref(profile);
    return 0;
}
