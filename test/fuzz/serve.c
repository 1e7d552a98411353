/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the server with any bytes as a request: it must not crash, nothing is given to who does
 * not know the token or comes from elsewhere, and no byte of a request gets out of its place in a
 * header of the answer.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -std=gnu11 -D_GNU_SOURCE -Isrc \
 *         test/fuzz/serve.c src/serve/request.c src/serve/site.c -o fuzz-serve && ./fuzz-serve */
#include "serve/site.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n_bytes);

/* A token and a page of few characters, so that the fuzzer finds them. */
static const struct site site = {
    .token = "00000000000000000000000000000000",
    .port = 1,
    .page = {"<p>page", 7},
    .courier = {"work()", 6},
    .profile = "/p",
    .compare = "/c",
    .keys = "{}",
};

static void check_answer(const struct request *request, const struct answer *answer)
{
    bool is_get = slice_is(request->method, "GET") || slice_is(request->method, "HEAD");
    if (answer->status != 200)
        return;
    if (!is_get || request->path.n < 34 || memcmp(request->path.at + 1, site.token, 32) != 0)
        abort();
    if (!memmem(request->host.at, request->host.n, "1", 1) &&
        !(request->host.n >= 9 && (request->host.at[0] | 0x20) == 'l'))
        abort();
    for (const char *c = answer->policy; *c; c++)
        if (*c < ' ' || *c > '~' || *c == ',')
            abort();
    /* Two words of a policy at most: what a request adds cannot begin a third. */
    const char *first = strchr(answer->policy, ';');
    if (strstr(answer->policy, "connect-src") && (!first || strchr(first + 1, ';')))
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n_bytes)
{
    struct request request;
    struct answer answer;
    unsigned status;
    size_t n = n_bytes < REQUEST_BYTES_MAX ? n_bytes : REQUEST_BYTES_MAX;
    enum request_state whole = request_parse((const char *)data, n, &request, &status);
    if (whole == REQUEST_WHOLE) {
        site_answer(&site, &request, PEER_OWN, &answer);
        check_answer(&request, &answer);
        site_answer(&site, &request, PEER_FOREIGN, &answer);
        if (answer.status == 200)
            abort();
        /* However it is cut, a beginning is never taken for the whole of another request. */
        struct request half;
        for (size_t i = 0; i + 1 < n && n < 512; i++)
            if (request_parse((const char *)data, i, &half, &status) == REQUEST_WHOLE &&
                half.path.n != request.path.n)
                abort();
    }
    return 0;
}
