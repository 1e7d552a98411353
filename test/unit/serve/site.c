/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the rules of the server: who gets what, and who gets nothing. */
#include "serve/site.h"

#include "../check.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define PAGE                                                                                       \
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; x 'y'\"><p>page"

static const struct site full = {
    .token = TOKEN,
    .port = 11235,
    .page = {PAGE, sizeof PAGE - 1},
    .courier = {"work()", 6},
    .profile = "/some/profile.json",
    .compare = "/some/other.json",
    .keys = "{\"K\":\"secret\"}",
};
static const struct site bare = {.token = TOKEN, .port = 11235};

static struct answer answer;

/* A line of headers may stand in for the host's. */
static unsigned ask_site(const struct site *site, enum peer peer, const char *target,
                         const char *headers)
{
    static char text[4096]; /* the answer may borrow from it */
    struct request request;
    unsigned status;
    snprintf(text, sizeof text, "%s HTTP/1.1\r\n%s\r\n\r\n", target, headers);
    CHECK(request_parse(text, strlen(text), &request, &status) == REQUEST_WHOLE);
    site_answer(site, &request, peer, &answer);
    return answer.status;
}

#define HOST "Host: 127.0.0.1:11235"

static unsigned get(const char *path)
{
    char target[2000];
    snprintf(target, sizeof target, "GET %s", path);
    return ask_site(&full, PEER_OWN, target, HOST);
}

static unsigned with(const char *headers)
{
    return ask_site(&full, PEER_OWN, "GET /" TOKEN "/profile.json", headers);
}

static void page_and_profile_are_given(void)
{
    CHECK(get("/" TOKEN "/") == 200 && answer.kind == ANSWER_BYTES && answer.has_body);
    CHECK(slice_is(answer.bytes, PAGE));
    CHECK_STR(answer.policy, "default-src 'none'; x 'y'; frame-ancestors 'none'");
    CHECK(get("/" TOKEN "/?compare") == 200);
    CHECK(get("/" TOKEN "/profile.json") == 200 && answer.kind == ANSWER_FILE);
    CHECK_STR(answer.path, full.profile);
    CHECK(get("/" TOKEN "/compare.json") == 200);
    CHECK_STR(answer.path, full.compare);
    CHECK(get("/" TOKEN "/events") == 200 && answer.kind == ANSWER_EVENTS);
}

static void head_has_no_body(void)
{
    CHECK(ask_site(&full, PEER_OWN, "HEAD /" TOKEN "/", HOST) == 200 && !answer.has_body);
    CHECK(ask_site(&full, PEER_OWN, "HEAD /", HOST) == 404 && !answer.has_body);
}

static void what_is_not_there_is_not_found(void)
{
    static const char *const names[] = {"", "profile.json", "compare.json", "keys.json",
                                        "courier.js?to=https://a.b"};
    char target[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(target, sizeof target, "GET /" TOKEN "/%s", names[i]);
        CHECK(ask_site(&bare, PEER_OWN, target, HOST) == 404);
    }
}

static void without_the_token_there_is_nothing(void)
{
    static const char *const paths[] = {
        "/",
        "/profile.json",
        "/keys.json",
        "//",
        "/" TOKEN,
        "/" TOKEN "x/",
        "/0123456789abcdef0123456789abcdee/",
        "/1123456789abcdef0123456789abcdef/",
        "/0123456789ABCDEF0123456789ABCDEF/",
        "//" TOKEN "/",
        "/x/../" TOKEN "/",
        "/" TOKEN "/../" TOKEN "/",
        "/?" TOKEN "/",
        "/%30123456789abcdef0123456789abcdef/",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        CHECK(get(paths[i]) == 404);
}

static void no_path_leads_to_a_file(void)
{
    static const char *const names[] = {
        "../../etc/passwd",
        "..%2f..%2fetc/passwd",
        "profile.json/",
        "profile.json/..",
        "./profile.json",
        "//profile.json",
        "profile.json%00",
        "PROFILE.JSON",
        "profile.json?x",
        "index.html",
        "%2e%2e/",
        "/etc/passwd",
        "keys.json/../profile.json",
        "profile.jso",
    };
    char path[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/" TOKEN "/%s", names[i]);
        CHECK(get(path) == 404);
    }
}

static void other_methods_are_refused(void)
{
    static const char *const methods[] = {"POST",    "PUT", "DELETE", "OPTIONS",
                                          "CONNECT", "get", "GETS"};
    char target[200];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        snprintf(target, sizeof target, "%s /" TOKEN "/", methods[i]);
        CHECK(ask_site(&full, PEER_OWN, target, HOST) == 405);
    }
}

static void only_names_of_loopback_are_hosts(void)
{
    CHECK(with("Host: 127.0.0.1:11235") == 200);
    CHECK(with("Host: localhost:11235") == 200);
    CHECK(with("Host: LocalHost") == 200);
    CHECK(with("Host: [::1]:8000") == 200);
    static const char *const others[] = {
        "evil.example",
        "evil.example:11235",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "127.0.0.2",
        "127.0.0.1:",
        "127.0.0.1:x",
        "127.0.0.1:123456",
        "127.0.0.1@evil.example",
        "localhost:80:80",
        "0.0.0.0",
        "192.168.0.1:11235",
        "2130706433",
        "[::]",
        "evil-localhost",
    };
    char header[200];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(header, sizeof header, "Host: %s", others[i]);
        CHECK(with(header) == 403);
    }
}

static void only_the_page_itself_is_an_origin(void)
{
    CHECK(with(HOST "\r\nOrigin: http://127.0.0.1:11235") == 200);
    static const char *const others[] = {
        "null",
        "http://evil.example",
        "https://127.0.0.1:11235",
        "http://127.0.0.1",
        "http://localhost:11235",
        "http://127.0.0.1:11236",
        "http://127.0.0.1:11235.evil.example",
        "http://127.0.0.1:11235/",
        "file://",
    };
    char headers[300];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(headers, sizeof headers, HOST "\r\nOrigin: %s", others[i]);
        CHECK(with(headers) == 403);
    }
}

static void other_sites_may_link_to_the_page_and_no_more(void)
{
    static const char *const sites[] = {"cross-site", "same-site", "", "Same-Origin"};
    char headers[300];
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
        snprintf(headers, sizeof headers, HOST "\r\nSec-Fetch-Site: %s", sites[i]);
        CHECK(with(headers) == 403);
        CHECK(ask_site(&full, PEER_OWN, "GET /" TOKEN "/", headers) == 200);
    }
    CHECK(with(HOST "\r\nSec-Fetch-Site: none") == 200);
    CHECK(with(HOST "\r\nSec-Fetch-Site: same-origin") == 200);
}

static void processes_of_other_users_get_nothing(void)
{
    CHECK(ask_site(&full, PEER_FOREIGN, "GET /" TOKEN "/", HOST) == 403);
    CHECK(ask_site(&full, PEER_FOREIGN, "GET /" TOKEN "/profile.json", HOST) == 403);
    CHECK(ask_site(&full, PEER_UNKNOWN, "GET /" TOKEN "/profile.json", HOST) == 200);
}

static void keys_are_given_to_the_very_page_alone(void)
{
    static const char target[] = "GET /" TOKEN "/keys.json";
    CHECK(ask_site(&full, PEER_OWN, target, HOST) == 200 && slice_is(answer.bytes, full.keys));
    CHECK(ask_site(&full, PEER_UNKNOWN, target, HOST) == 403);
    CHECK(ask_site(&full, PEER_FOREIGN, target, HOST) == 403);
    CHECK(ask_site(&full, PEER_OWN, target, "Host: 127.0.0.1:9") == 403);
    CHECK(ask_site(&full, PEER_OWN, target, "Host: 127.0.0.1") == 403);
    CHECK(ask_site(&full, PEER_OWN, target, HOST "\r\nSec-Fetch-Site: cross-site") == 403);
}

static void courier_may_reach_one_origin(void)
{
    CHECK(get("/" TOKEN "/courier.js?to=https://api.openai.com") == 200);
    CHECK_STR(answer.policy, "default-src 'none'; connect-src https://api.openai.com");
    CHECK(get("/" TOKEN "/courier.js?to=http://[::1]:11434") == 200);
    static const char *const others[] = {
        "",
        "?",
        "?to=",
        "?to=https://",
        "?to=ftp://a",
        "?to=https://a;script-src",
        "?to=*",
        "?to=https://*",
        "?to=https://*.b",
        "?to=https://a,b",
        "?to=https://a/b",
        "?to=https://a%20b",
        "?to='self'",
        "?to=https:",
        "?to=data:",
        "?to=https://A",
        "?to=https://a'b",
        "?x&to=https://a",
    };
    char path[400];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(path, sizeof path, "/" TOKEN "/courier.js%s", others[i]);
        CHECK(get(path) == 404);
    }
    snprintf(path, sizeof path, "/" TOKEN "/courier.js?to=https://%0310d", 0);
    CHECK(get(path) == 404);
}

int main(void)
{
    RUN(page_and_profile_are_given);
    RUN(head_has_no_body);
    RUN(what_is_not_there_is_not_found);
    RUN(without_the_token_there_is_nothing);
    RUN(no_path_leads_to_a_file);
    RUN(other_methods_are_refused);
    RUN(only_names_of_loopback_are_hosts);
    RUN(only_the_page_itself_is_an_origin);
    RUN(other_sites_may_link_to_the_page_and_no_more);
    RUN(processes_of_other_users_get_nothing);
    RUN(keys_are_given_to_the_very_page_alone);
    RUN(courier_may_reach_one_origin);
    return 0;
}
