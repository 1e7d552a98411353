/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the check of JSON: what is an object by RFC 8259, and what is none. */
#include "base/jsontext.h"

#include "../check.h"

static const char *const good[] = {
    "{}",
    " \t\r\n{ } \n",
    "{\"a\":1}",
    "{\"\":[]}",
    "{\"a\":[{},[],[[]],\"x\",-0,0.5,-1e9,1E+2,2e-3,10,true,false,null]}",
    "{\"a\" : {\"b\" : [1 , 2]} , \"c\" : \"\\u00e4\\\"\\\\\\/\\b\\f\\n\\r\\t\"}",
    "{\"a\":\"\xc3\xa4 \xe2\x80\xa8 </script>\"}",
    "{\"a\":1,\"a\":2}",
};

static const char *const bad[] = {
    "",
    " ",
    "[]",
    "1",
    "\"a\"",
    "null",
    "{",
    "}",
    "{]",
    "[}",
    "{}{}",
    "{},",
    "{} x",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,\"a\":1}",
    "{a:1}",
    "{'a':1}",
    "{1:1}",
    "{\"a\":1 \"b\":2}",
    "{\"a\":[1,]}",
    "{\"a\":[,1]}",
    "{\"a\":[1 2]}",
    "{\"a\":[1}",
    "{\"a\":{]}",
    "{\"a\":01}",
    "{\"a\":1.}",
    "{\"a\":.5}",
    "{\"a\":+1}",
    "{\"a\":-}",
    "{\"a\":1e}",
    "{\"a\":NaN}",
    "{\"a\":Infinity}",
    "{\"a\":tru}",
    "{\"a\":truex}",
    "{\"a\":\"\n\"}",
    "{\"a\":\"\\x\"}",
    "{\"a\":\"\\u12g4\"}",
    "{\"a\":\"\\u123",
    "{\"a\":\"",
    "{\"a\":\"\\",
    "{\"a\":1",
    "{\"a\":<}",
    "\xef\xbb\xbf{}",
    "{\"a\":[]]}",
    "{:1}",
    "{\"a\"::1}",
    "{\"a\":1,,\"b\":2}",
    "{\"a\":1]",
};

static void objects_are_taken(void)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK(jsontext_is_object(good[i], strlen(good[i])));
}

static void everything_else_is_refused(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (jsontext_is_object(bad[i], strlen(bad[i])))
            fprintf(stderr, "taken: %s\n", bad[i]);
        CHECK(!jsontext_is_object(bad[i], strlen(bad[i])));
    }
    CHECK(!jsontext_is_object("{\"a\0\":1}", 8));
    CHECK(!jsontext_is_object("{}\0", 3));
}

/* A file that was cut anywhere is none. The bytes are copied so that reading past them shows. */
static void every_cut_is_refused(void)
{
    const char *text = good[5];
    for (size_t n = 0; n < strlen(text); n++) {
        char *cut = malloc(n ? n : 1);
        memcpy(cut, text, n);
        CHECK(!jsontext_is_object(cut, n));
        free(cut);
    }
}

static void depth_is_bounded(void)
{
    static char text[8 * JSONTEXT_DEPTH_MAX];
    for (size_t depth = JSONTEXT_DEPTH_MAX - 1; depth <= JSONTEXT_DEPTH_MAX; depth++) {
        size_t n = 0;
        n += (size_t)sprintf(text, "{\"a\":");
        memset(text + n, '[', depth);
        memset(text + n + depth, ']', depth);
        n += 2 * depth;
        text[n++] = '}';
        CHECK(jsontext_is_object(text, n) == (depth < JSONTEXT_DEPTH_MAX));
    }
}

int main(void)
{
    RUN(objects_are_taken);
    RUN(everything_else_is_refused);
    RUN(every_cut_is_refused);
    RUN(depth_is_bounded);
    return 0;
}
