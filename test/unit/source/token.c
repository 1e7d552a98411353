/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the tokenizer: one letter per token makes the expectations readable. */
#include "source/token.h"

#include "../check.h"

/* n name, k keyword, 1 number, s string, # comment, . operator, | end of a logical line */
static void kinds_of(char *kinds, size_t room, const char *text, size_t n_bytes)
{
    static const char letters[] = {'n', 'k', '1', 's', '#', '.', '|'};
    struct tokenizer t;
    struct token token;
    size_t n = 0, end = 0;
    token_init(&t, text, n_bytes);
    while (token_next(&t, &token) && n + 1 < room) {
        CHECK(token.start >= end && token.end <= n_bytes && token.start <= token.end);
        CHECK(token.end_line >= token.line && token.line >= 1);
        end = token.end;
        kinds[n++] = letters[token.kind];
    }
    kinds[n] = '\0';
}

static void check_kinds(const char *text, const char *want)
{
    char kinds[256];
    kinds_of(kinds, sizeof kinds, text, strlen(text));
    if (strcmp(kinds, want) != 0)
        fprintf(stderr, "of: %s\n", text);
    CHECK_STR(kinds, want);
}

static void tokens_of_plain_code(void)
{
    check_kinds("x = 1\n", "n.1|");
    check_kinds("if x: # why\n  return None", "kn.#|kk|");
    check_kinds("a = 1_000.5e-3j + .5 - 0xfE+1\n", "n.1.1.1.1|");
    check_kinds("größe = λ\n", "n.n|");
    check_kinds("\n\n# only\n\n", "#");
    check_kinds("def f(x) -> int: pass\n", "kn.n..n.k|");
    check_kinds("x = a if b else c\r\n", "n.nknkn|");
}

static void lines_are_joined_by_brackets_and_backslashes(void)
{
    check_kinds("f(1,\n\n # c\n 2)\nx", "n.1.#1.|n|");
    check_kinds("x = 1 + \\\n  2\ny", "n.1.1|n|");
}

static void strings_are_one_token(void)
{
    check_kinds("'a' \"b\" '' r'\\' ' b\"\\\"\" Rb'x' u''", "sssssss|");
    check_kinds("'''a\n'b' ''c\\''' ''' x", "sn|");
    check_kinds("\"\"\"never closed\n x\n", "s|");
    check_kinds("'never closed\nx\n", "s|n|");
    check_kinds("'joined \\\n line' x\n", "sn|");
    check_kinds("rx'a'\n", "ns|");
    check_kinds("brr'a'\n", "ns|");
}

static void fields_may_hold_the_quotes_around_them(void)
{
    check_kinds("f'{x[\"a\"]}' y\n", "sn|");
    check_kinds("f\"{x[\"a\"]}\" y\n", "sn|");
    check_kinds("f\"{f\"{f\"{1}\"}\"}\" y\n", "sn|");
    check_kinds("f\"{{\" y\n", "sn|");
    check_kinds("f\"{{\" + f\"{x[\"a\"]}\" y\n", "s.sn|");
    check_kinds("f\"{{{x}}}\" y\n", "sn|");
    check_kinds("f\"{x:{w}.{p}}\" y\n", "sn|");
    check_kinds("f\"{x:'>10}\" y\n", "sn|");
    check_kinds("f'{x!r:^{\"10\"}}' y\n", "sn|");
    check_kinds("f'{d[\"}\"]}' y\n", "sn|");
    check_kinds("f'\\N{LEFT CURLY BRACKET}' y\n", "sn|");
    check_kinds("rf'\\{x}' y\n", "sn|");
    check_kinds("f'\\{x['a']}' y\n", "sn|");
    check_kinds("f'\\'' y\n", "sn|");
    check_kinds("f'{(lambda x: x)(1)}' y\n", "sn|");
    check_kinds("f'''{\n x # it's }\n}''' y\n", "sn|");
    check_kinds("t'{x}' y\n", "sn|");
}

static void broken_fields_do_not_swallow_the_file(void)
{
    check_kinds("f'{' \nx = 1\n", "s|n.1|");
    check_kinds("f'{x:' \nx = 1\n", "s|n.1|");
    check_kinds("f'{x' \ny\nf'{z}'\n", "s|n|s|");
}

static void a_statement_ends_a_bracket_left_open(void)
{
    check_kinds("x = (1,\ndef f(): pass\ny\n", "n..1.|kn...k|n|");
    check_kinds("x = (1,\nfor y in z\n)\n", "n..1.knkn.|");
    check_kinds(")))\nx\n", "...|n|");
}

/* Any bytes: the checks in kinds_of hold and the end is reached. */
static void any_bytes_come_to_an_end(void)
{
    static const char *const pieces[] = {
        "f'{", "\"\"\"", "\\",   "\n", "{",      "}", "(", ")",    "'",      "\"",   "rb'", "#",
        ":",   "def ",   "\xff", "\t", "f\"{x:", "!", "@", "\\N{", "class ", "for ", "1e+", "\x01"};
    unsigned seed = 12345;
    for (int round = 0; round < 3000; round++) {
        char text[512], kinds[1024];
        size_t n = 0;
        while (n < sizeof text - 8) {
            seed = seed * 1664525u + 1013904223u;
            const char *piece = pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)];
            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
            if (text[n - 1] == '\x01')
                text[n - 1] = '\0';
        }
        char *exact = malloc(n); /* so that a read past the end is seen by ASan */
        memcpy(exact, text, n);
        kinds_of(kinds, sizeof kinds, exact, n);
        free(exact);
    }
}

/* Were one of these quadratic, two megabytes would take longer than the test may. */
static void hostile_text_takes_linear_time(void)
{
    static const char *const patterns[] = {"f'{",  "f\"{x:\n", "f'''{",  "(",
                                           "\\\n", "f'{{x}",   "f'{f\"{"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        size_t n_piece = strlen(patterns[i]), n = (2u << 20) / n_piece * n_piece;
        char *text = malloc(n);
        for (size_t k = 0; k < n; k++)
            text[k] = patterns[i][k % n_piece];
        struct tokenizer t;
        struct token token;
        size_t n_tokens = 0;
        token_init(&t, text, n);
        while (token_next(&t, &token))
            n_tokens++;
        CHECK(n_tokens <= n + 1);
        free(text);
    }
}

int main(void)
{
    RUN(tokens_of_plain_code);
    RUN(lines_are_joined_by_brackets_and_backslashes);
    RUN(strings_are_one_token);
    RUN(fields_may_hold_the_quotes_around_them);
    RUN(broken_fields_do_not_swallow_the_file);
    RUN(a_statement_ends_a_bracket_left_open);
    RUN(any_bytes_come_to_an_end);
    RUN(hostile_text_takes_linear_time);
    return 0;
}
