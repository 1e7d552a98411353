/* SPDX-License-Identifier: Apache-2.0 */
/* Paints the tokens of a file by their kind. */
#include "report/highlight.h"

#include "report/screen.h"
#include "source/token.h"

#include <string.h>

static const uint8_t paint_of[] = {
    [TOKEN_NAME] = PAINT_PLAIN,    [TOKEN_KEYWORD] = PAINT_KEYWORD, [TOKEN_NUMBER] = PAINT_NUMBER,
    [TOKEN_STRING] = PAINT_STRING, [TOKEN_COMMENT] = PAINT_COMMENT, [TOKEN_OPERATOR] = PAINT_PLAIN,
    [TOKEN_NEWLINE] = PAINT_PLAIN,
};

void highlight(uint8_t *paints, const char *text, size_t n_bytes)
{
    struct tokenizer t;
    struct token token;
    bool is_named = false; /* the word before was def or class */
    memset(paints, PAINT_PLAIN, n_bytes);
    token_init(&t, text, n_bytes);
    while (token_next(&t, &token)) {
        uint8_t paint = paint_of[token.kind];
        if (is_named && token.kind == TOKEN_NAME)
            paint = PAINT_NAME;
        memset(paints + token.start, paint, token.end - token.start);
        is_named = token.kind == TOKEN_KEYWORD &&
                   (token_is(&t, &token, "def") || token_is(&t, &token, "class"));
    }
}
