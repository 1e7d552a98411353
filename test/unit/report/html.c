/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the HTML file: the profile goes where the page waits for it, and stays inside. */
#include "report/html.h"

#include "../check.h"

#define PROFILE "<script type=\"application/json\" id=\"profile\">"
#define COMPARE "<script type=\"application/json\" id=\"compare\">"
static const char page[] = "<head>" PROFILE "</script>" COMPARE "</script></body>";

static FILE *text_file(const char *text)
{
    FILE *file = tmpfile();
    CHECK(file && fputs(text, file) >= 0);
    rewind(file);
    return file;
}

/* The caller frees it; NULL: it was refused. */
static char *html(const char *template, const char *profile, const char *compare)
{
    char *text = NULL;
    size_t n;
    struct err e;
    FILE *first = text_file(profile), *second = compare ? text_file(compare) : NULL;
    FILE *out = open_memstream(&text, &n);
    bool is_written = report_html(template, strlen(template), first, second, out, &e);
    fclose(out);
    fclose(first);
    if (second)
        fclose(second);
    if (is_written)
        return text;
    CHECK(e.text[0]);
    free(text);
    return NULL;
}

static void check_html(const char *profile, const char *compare, const char *want)
{
    char *got = html(page, profile, compare);
    CHECK(got);
    CHECK_STR(got, want);
    free(got);
}

static void profile_and_comparison_go_to_their_places(void)
{
    check_html("{\"a\":1}", NULL, "<head>" PROFILE "{\"a\":1}</script>" COMPARE "</script></body>");
    check_html("{\"a\":1}", "{\"b\":2}",
               "<head>" PROFILE "{\"a\":1}</script>" COMPARE "{\"b\":2}</script></body>");
}

static void nothing_in_a_profile_is_html(void)
{
    check_html("{\"</script><!--<script>\":\"\xe2\x80\xa8\xe2\x80\xa9\"}", NULL,
               "<head>" PROFILE "{\"\\u003c/script>\\u003c!--\\u003cscript>\":\"\\u2028\\u2029\"}"
               "</script>" COMPARE "</script></body>");
}

/* Bytes that begin like a line separator and are none stay as they are. */
static void other_characters_stay(void)
{
    static const char text[] =
        "{\"\xe2\x80\xa6\xe2\xe2\x80\xaa\xe2\x82\xac\xe2\x80<\xe2\"}\xe2\x80";
    check_html(text, NULL,
               "<head>" PROFILE "{\"\xe2\x80\xa6\xe2\xe2\x80\xaa\xe2\x82\xac\xe2\x80\\u003c\xe2\"}"
               "\xe2\x80</script>" COMPARE "</script></body>");
}

/* What looks like the place for the comparison inside the first profile is not taken for it. */
static void places_in_names_are_not_places(void)
{
    check_html("{\"" COMPARE "\":1}", "{}",
               "<head>" PROFILE "{\"\\u003cscript type=\"application/json\" id=\"compare\">\":1}"
               "</script>" COMPARE "{}</script></body>");
}

static void page_without_a_place_is_refused(void)
{
    CHECK(!html("", "{}", NULL));
    CHECK(!html("<head></head>", "{}", NULL));
    CHECK(!html(PROFILE "</script>", "{}", "{}"));
}

int main(void)
{
    RUN(profile_and_comparison_go_to_their_places);
    RUN(nothing_in_a_profile_is_html);
    RUN(other_characters_stay);
    RUN(places_in_names_are_not_places);
    RUN(page_without_a_place_is_refused);
    return 0;
}
