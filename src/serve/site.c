/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the server, in the order in which they are asked:
 *
 * 1. Only GET and HEAD: nothing here can be changed.
 * 2. Only processes of the same user: others on the machine can reach loopback, too.
 * 3. The Host is a name of loopback: a foreign name that resolves to it is an attack (DNS
 * rebinding). Any port will do, since `ssh -L` may have given it another one; keys are more
 * particular.
 * 4. The Origin, where there is one, is the page itself; and what is not the page is only fetched
 * by it, where the browser says who fetches (Sec-Fetch-Site).
 * 5. The path begins with the token, and what follows is in the table. No path is ever made into a
 *    file name, so there is nothing to traverse. */
#include "serve/site.h"

#include <stdio.h>
#include <string.h>

/* The policy of everything that is no page. */
#define POLICY_NOTHING "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"

static const struct {
    unsigned status;
    const char *reason, *sentence;
} statuses[] = {
    {200, "OK", ""},
    {400, "Bad Request", "This is no request that a browser makes.\n"},
    {403, "Forbidden", "This profile is shown only to the page that scalene view has opened.\n"},
    {404, "Not Found", "There is nothing here. Has scalene view printed another address?\n"},
    {405, "Method Not Allowed", "Only GET and HEAD.\n"},
    {408, "Request Timeout", "The request did not come in time.\n"},
    {413, "Content Too Large", "A request with a body is not taken.\n"},
    {414, "URI Too Long", "The address is too long.\n"},
    {431, "Request Header Fields Too Large", "The head of the request is too large.\n"},
    {503, "Service Unavailable", "Too many connections at once.\n"},
    {505, "HTTP Version Not Supported", "Only HTTP/1.0 and HTTP/1.1.\n"},
};
#define N_STATUSES (sizeof statuses / sizeof *statuses)

static size_t status_index(unsigned status)
{
    size_t i = 0;
    while (i + 1 < N_STATUSES && statuses[i].status != status)
        i++;
    return i;
}

const char *site_reason(unsigned status)
{
    return statuses[status_index(status)].reason;
}

void site_refuse(unsigned status, struct answer *answer)
{
    const char *sentence = statuses[status_index(status)].sentence;
    *answer = (struct answer){.status = status,
                              .type = "text/plain; charset=utf-8",
                              .bytes = {sentence, strlen(sentence)},
                              .has_body = true,
                              .policy = POLICY_NOTHING};
}

static struct slice skipped(struct slice text, size_t n)
{
    return (struct slice){text.at + n, text.n - n};
}

static bool begins_with(struct slice text, const char *start)
{
    size_t n = strlen(start);
    return text.n >= n && memcmp(text.at, start, n) == 0;
}

/* Digits that make a port, or nothing. */
static bool is_port(struct slice text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
    return text.n >= 1 && text.n <= 5;
}

/* 127.0.0.1, localhost or [::1], with or without a port. */
static bool is_loopback(struct slice host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (host.n < n || !slice_is_nocase((struct slice){host.at, n}, names[i]))
            continue;
        struct slice rest = skipped(host, n);
        if (rest.n == 0 || (rest.at[0] == ':' && is_port(skipped(rest, 1))))
            return true;
    }
    return false;
}

static bool has_own_port(const struct site *site, struct slice host)
{
    char end[16];
    size_t n = (size_t)snprintf(end, sizeof end, ":%u", site->port);
    return host.n > n && memcmp(host.at + host.n - n, end, n) == 0;
}

/* The Origin is "http://" and the Host; some clients send none. */
static bool is_same_origin(const struct request *request)
{
    struct slice origin = request->origin;
    if (!origin.at)
        return true;
    return begins_with(origin, "http://") && origin.n == request->host.n + 7 &&
           memcmp(origin.at + 7, request->host.at, request->host.n) == 0;
}

static bool is_fetched_by_page(const struct request *request)
{
    struct slice site = request->fetch_site;
    return !site.at || slice_is(site, "same-origin") || slice_is(site, "none");
}

/* Takes the token off the path. All of it is compared, so that time tells nothing of it. */
static bool take_token(const struct site *site, struct slice *path)
{
    size_t n = SITE_TOKEN_SIZE - 1;
    unsigned char different = 0;
    if (path->n < n + 2 || path->at[0] != '/' || path->at[n + 1] != '/')
        return false;
    for (size_t i = 0; i < n; i++)
        different |= (unsigned char)(path->at[1 + i] ^ site->token[i]);
    *path = skipped(*path, n + 2);
    return different == 0;
}

/* ---- what there is ---- */

typedef bool give(const struct site *site, const struct request *request, struct answer *answer);

/* The page brings its policy in a meta element, with the hashes of its scripts. As a header it
 * holds from the first byte, and can forbid frames. */
static bool give_page(const struct site *site, const struct request *request, struct answer *answer)
{
    static const char mark[] = "http-equiv=\"Content-Security-Policy\" content=\"";
    (void)request;
    const char *from =
        site->page.n ? memmem(site->page.at, site->page.n, mark, strlen(mark)) : NULL;
    answer->bytes = site->page;
    snprintf(answer->policy, sizeof answer->policy, POLICY_NOTHING);
    if (!from)
        return site->page.n > 0;
    from += strlen(mark);
    size_t n_left = site->page.n - (size_t)(from - site->page.at);
    const char *to = memchr(from, '"', n_left);
    if (to && (size_t)(to - from) < sizeof answer->policy - 32)
        snprintf(answer->policy, sizeof answer->policy, "%.*s; frame-ancestors 'none'",
                 (int)(to - from), from);
    return true;
}

static bool give_profile(const struct site *site, const struct request *request,
                         struct answer *answer)
{
    (void)request;
    answer->path = site->profile;
    return site->profile;
}

static bool give_compare(const struct site *site, const struct request *request,
                         struct answer *answer)
{
    (void)request;
    answer->path = site->compare;
    return site->compare;
}

static bool give_keys(const struct site *site, const struct request *request, struct answer *answer)
{
    if (site->keys)
        answer->bytes = (struct slice){site->keys, strlen(site->keys)};
    (void)request;
    return site->keys;
}

/* An origin as it may stand in a policy: scheme, host, perhaps a port, and nothing that could begin
 * another word of it. */
static bool is_origin(struct slice text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789.-_:[]";
    size_t n_scheme = begins_with(text, "https://") ? 8 : begins_with(text, "http://") ? 7 : 0;
    struct slice host = skipped(text, n_scheme);
    if (n_scheme == 0 || host.n == 0 || host.n > 300)
        return false;
    for (size_t i = 0; i < host.n; i++)
        if (host.at[i] == '\0' || !strchr(allowed, host.at[i]))
            return false;
    return true;
}

/* The worker's own policy lets it reach the provider that the user chose, and nothing else. */
static bool give_courier(const struct site *site, const struct request *request,
                         struct answer *answer)
{
    if (!site->courier.n || !request->query.at || !begins_with(request->query, "to="))
        return false;
    struct slice origin = skipped(request->query, 3);
    if (!is_origin(origin))
        return false;
    answer->bytes = site->courier;
    snprintf(answer->policy, sizeof answer->policy, "default-src 'none'; connect-src %.*s",
             (int)origin.n, origin.at);
    return true;
}

static bool give_events(const struct site *site, const struct request *request,
                        struct answer *answer)
{
    static const char greeting[] = "retry: 2000\ndata: open\n\n";
    (void)site;
    (void)request;
    answer->bytes = (struct slice){greeting, strlen(greeting)};
    return true;
}

static const struct {
    const char *name, *type;
    enum answer_body kind;
    bool is_page;   /* may be reached by a link from elsewhere */
    bool is_secret; /* wants the very port, and a process known to be the user's */
    bool has_query;
    give *give;
} things[] = {
    {"", "text/html; charset=utf-8", ANSWER_BYTES, .is_page = true, .has_query = true,
     .give = give_page},
    {"profile.json", "application/json", ANSWER_FILE, .give = give_profile},
    {"compare.json", "application/json", ANSWER_FILE, .give = give_compare},
    {"keys.json", "application/json", ANSWER_BYTES, .is_secret = true, .give = give_keys},
    {"courier.js", "text/javascript; charset=utf-8", ANSWER_BYTES, .has_query = true,
     .give = give_courier},
    {"events", "text/event-stream", ANSWER_EVENTS, .give = give_events},
};
#define N_THINGS (sizeof things / sizeof *things)

static unsigned judge_thing(size_t i, const struct site *site, const struct request *request,
                            enum peer peer)
{
    if (!things[i].is_page && !is_fetched_by_page(request))
        return 403;
    if (things[i].is_secret && (peer != PEER_OWN || !has_own_port(site, request->host)))
        return 403;
    return !things[i].has_query && request->query.at ? 404 : 200;
}

/* Everything that is asked of a request before its path. */
static unsigned judge(const struct request *request, enum peer peer)
{
    if (!slice_is(request->method, "GET") && !slice_is(request->method, "HEAD"))
        return 405;
    if (peer == PEER_FOREIGN || !is_loopback(request->host) || !is_same_origin(request))
        return 403;
    return 200;
}

void site_answer(const struct site *site, const struct request *request, enum peer peer,
                 struct answer *answer)
{
    struct slice path = request->path;
    size_t i = 0;
    unsigned status = judge(request, peer);
    if (status == 200 && !take_token(site, &path))
        status = 404;
    while (i < N_THINGS && !slice_is(path, things[i].name))
        i++;
    if (status == 200)
        status = i < N_THINGS ? judge_thing(i, site, request, peer) : 404;
    if (status == 200) {
        *answer = (struct answer){.status = 200,
                                  .kind = things[i].kind,
                                  .type = things[i].type,
                                  .has_body = true,
                                  .policy = POLICY_NOTHING};
        if (!things[i].give(site, request, answer))
            status = 404;
    }
    if (status != 200)
        site_refuse(status, answer);
    if (slice_is(request->method, "HEAD"))
        answer->has_body = false;
}
