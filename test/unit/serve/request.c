/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the reader of requests: what a browser sends is read, everything else is refused. */
#include "serve/request.h"

#include "../check.h"

static struct request request;
static unsigned status;

static enum request_state parse(const char *text)
{
    return request_parse(text, strlen(text), &request, &status);
}

static void browser_request_is_read(void)
{
    CHECK(parse("GET /abc/profile.json?x=1 HTTP/1.1\r\n"
                "Host: 127.0.0.1:11235\r\n"
                "Connection: keep-alive\r\n"
                "User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n"
                "ORIGIN:\thttp://127.0.0.1:11235 \r\n"
                "Sec-Fetch-Site: same-origin\r\n"
                "Empty:\r\n"
                "\r\n") == REQUEST_WHOLE);
    CHECK(slice_is(request.method, "GET"));
    CHECK(slice_is(request.path, "/abc/profile.json"));
    CHECK(slice_is(request.query, "x=1"));
    CHECK(slice_is(request.host, "127.0.0.1:11235"));
    CHECK(slice_is(request.origin, "http://127.0.0.1:11235"));
    CHECK(slice_is(request.fetch_site, "same-origin"));
}

static void what_is_not_said_is_not_there(void)
{
    CHECK(parse("GET / HTTP/1.0\r\nhost: localhost\r\n\r\n") == REQUEST_WHOLE);
    CHECK(!request.query.at && !request.origin.at && !request.fetch_site.at);
    CHECK(parse("GET /? HTTP/1.1\r\nhost: localhost\r\n\r\n") == REQUEST_WHOLE);
    CHECK(request.query.at && request.query.n == 0);
}

/* A request may come in pieces of any size. */
static void every_beginning_is_partial(void)
{
    static const char text[] = "GET /a?b HTTP/1.1\r\nHost: localhost:1\r\nOrigin: x\r\n\r\n";
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        CHECK(request_parse(text, i, &request, &status) == REQUEST_PARTIAL);
    CHECK(request_parse(text, n, &request, &status) == REQUEST_WHOLE);
}

static const struct {
    const char *text;
    unsigned status;
} bad[] = {
    {"\r\n\r\n", 400},
    {"GET\r\n\r\n", 400},
    {"GET /\r\nHost: a\r\n\r\n", 400},
    {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
    {"GET / HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET / http/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
    {" GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET http://localhost/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"GET /\x01 HTTP/1.1\r\n", 400},
    {"GET / HTTP/1.1\nHost: a\n\n", 400},
    {"GET / HTTP/1.1\rHost: a\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a\r\nOrigin: x\r\norigin: x\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a\r\n: no name\r\n\r\n", 400},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", 413},
    {"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 413},
    {"\x16\x03\x01\x02", 400}, /* how TLS begins */
};

static void what_no_browser_sends_is_refused(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (parse(bad[i].text) != REQUEST_BAD || status != bad[i].status)
            fprintf(stderr, "case %zu: status %u\n", i, status);
        CHECK(parse(bad[i].text) == REQUEST_BAD && status == bad[i].status);
    }
    CHECK(request_parse("GET /\0 HTTP/1.1\r\n", 17, &request, &status) == REQUEST_BAD);
}

static void size_is_bounded(void)
{
    static char text[REQUEST_BYTES_MAX + 1];
    memset(text, 'a', REQUEST_BYTES_MAX);
    CHECK(request_parse(text, REQUEST_BYTES_MAX - 1, &request, &status) == REQUEST_PARTIAL);
    CHECK(parse(text) == REQUEST_BAD && status == 431);
    int n = snprintf(text, sizeof text, "GET /%0*d HTTP/1.1\r\nHost: a\r\n\r\n",
                     REQUEST_TARGET_MAX - 1, 0);
    CHECK(n > 0 && parse(text) == REQUEST_WHOLE);
    snprintf(text, sizeof text, "GET /%0*d HTTP/1.1\r\nHost: a\r\n\r\n", REQUEST_TARGET_MAX, 0);
    CHECK(parse(text) == REQUEST_BAD && status == 414);
}

int main(void)
{
    RUN(browser_request_is_read);
    RUN(what_is_not_said_is_not_there);
    RUN(every_beginning_is_partial);
    RUN(what_no_browser_sends_is_refused);
    RUN(size_is_bounded);
    return 0;
}
