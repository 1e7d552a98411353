/* SPDX-License-Identifier: Apache-2.0 */
/* A connection is a small machine that never waits:
 *
 *     READS --> WRITES --> DRAINS --> CLOSED
 *                  \--> EVENTS -------/
 *
 * Each connection takes one request: on loopback a new one costs nothing, and nothing that a
 * request leaves behind can be taken for the next. DRAINS is there because closing a socket with
 * unread bytes makes the kernel take back the answer. */
#include "serve/connection.h"

#include "serve/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* A browser sends its head in one piece; a hand at a keyboard takes a few seconds. */
#define READ_MS 10000
/* Without a byte of progress. A page that parses 100 MB may stop reading for a while. */
#define WRITE_MS    60000
#define DRAIN_MS    2000
#define CHUNK_BYTES 65536

void connection_open(struct connection *c, int fd, int64_t now_ms)
{
    c->state = CONNECTION_READS;
    c->fd = fd;
    c->file = -1;
    c->deadline_ms = now_ms + READ_MS;
    c->n_in = c->n_head = c->n_head_sent = 0;
    c->n_body = c->n_body_sent = 0;
}

void connection_close(struct connection *c)
{
    if (c->state == CONNECTION_CLOSED)
        return;
    if (c->file >= 0)
        close(c->file);
    close(c->fd);
    c->state = CONNECTION_CLOSED;
}

short connection_events(const struct connection *c)
{
    return c->state == CONNECTION_WRITES ? POLLOUT : POLLIN;
}

/* Opens what is to be sent from a file; it may be gone, or no file, since the server began. */
static bool open_file(struct connection *c)
{
    struct stat st;
    c->file = open(c->answer.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (c->file < 0 || fstat(c->file, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    c->n_body = (uint64_t)st.st_size;
    return true;
}

static void write_head(struct connection *c)
{
    const struct answer *a = &c->answer;
    char length[48] = "";
    if (a->kind != ANSWER_EVENTS)
        snprintf(length, sizeof length, "Content-Length: %llu\r\n", (unsigned long long)c->n_body);
    int n = snprintf(c->head, sizeof c->head,
                     "HTTP/1.1 %u %s\r\n"
                     "Content-Type: %s\r\n"
                     "%s%s"
                     "Connection: close\r\n"
                     "Cache-Control: no-store\r\n"
                     "Content-Security-Policy: %s\r\n"
                     "Cross-Origin-Opener-Policy: same-origin\r\n"
                     "Cross-Origin-Resource-Policy: same-origin\r\n"
                     "Referrer-Policy: no-referrer\r\n"
                     "X-Content-Type-Options: nosniff\r\n"
                     "X-Frame-Options: DENY\r\n\r\n",
                     a->status, site_reason(a->status), a->type, length,
                     a->status == 405 ? "Allow: GET, HEAD\r\n" : "", a->policy);
    c->n_head = (size_t)n;
}

static void begin_answer(struct connection *c, int64_t now_ms)
{
    if (c->answer.kind == ANSWER_FILE && !open_file(c)) {
        bool has_body = c->answer.has_body;
        site_refuse(404, &c->answer);
        c->answer.has_body = has_body;
    }
    if (c->answer.kind != ANSWER_FILE)
        c->n_body = c->answer.bytes.n;
    write_head(c);
    if (!c->answer.has_body)
        c->n_body = 0;
    c->state = CONNECTION_WRITES;
    c->deadline_ms = now_ms + WRITE_MS;
}

/* False: there is no more for now. */
static bool step_read(struct connection *c, const struct site *site, int64_t now_ms)
{
    struct request request;
    unsigned status;
    ssize_t n = recv(c->fd, c->in + c->n_in, sizeof c->in - c->n_in, 0);
    if (n <= 0) {
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            connection_close(c);
        return false;
    }
    c->n_in += (size_t)n;
    enum request_state state = request_parse(c->in, c->n_in, &request, &status);
    if (state == REQUEST_PARTIAL)
        return true;
    if (state == REQUEST_WHOLE)
        site_answer(site, &request, peer_of(c->fd), &c->answer);
    else
        site_refuse(status, &c->answer);
    begin_answer(c, now_ms);
    return true;
}

/* Sends what it can of the body from where it stands. 0: the file is shorter than it was. */
static ssize_t send_body(struct connection *c)
{
    static char chunk[CHUNK_BYTES];
    uint64_t left = c->n_body - c->n_body_sent;
    if (c->answer.kind != ANSWER_FILE)
        return send(c->fd, c->answer.bytes.at + c->n_body_sent, left, MSG_NOSIGNAL);
    ssize_t n =
        pread(c->file, chunk, left < sizeof chunk ? left : sizeof chunk, (off_t)c->n_body_sent);
    return n <= 0 ? 0 : send(c->fd, chunk, (size_t)n, MSG_NOSIGNAL);
}

static void end_answer(struct connection *c, int64_t now_ms)
{
    if (c->answer.kind == ANSWER_EVENTS && c->answer.has_body) {
        c->state = CONNECTION_EVENTS;
        c->deadline_ms = INT64_MAX;
        return;
    }
    shutdown(c->fd, SHUT_WR);
    c->state = CONNECTION_DRAINS;
    c->deadline_ms = now_ms + DRAIN_MS;
}

static bool step_write(struct connection *c, int64_t now_ms)
{
    ssize_t n;
    if (c->n_head_sent < c->n_head) {
        n = send(c->fd, c->head + c->n_head_sent, c->n_head - c->n_head_sent,
                 MSG_NOSIGNAL | MSG_MORE);
        c->n_head_sent += n > 0 ? (size_t)n : 0;
    } else if (c->n_body_sent < c->n_body) {
        n = send_body(c);
        c->n_body_sent += n > 0 ? (uint64_t)n : 0;
    } else {
        end_answer(c, now_ms);
        return false;
    }
    if (n > 0) {
        c->deadline_ms = now_ms + WRITE_MS;
        return true;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        connection_close(c);
    return false;
}

/* Reads to the end of what the other side says, and forgets it. */
static bool step_drain(struct connection *c)
{
    char waste[4096];
    ssize_t n = recv(c->fd, waste, sizeof waste, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        connection_close(c);
    return n > 0;
}

/* A step that lets others have their turn, too: one big file must not keep the rest waiting. */
#define STEPS_MAX 64

void connection_step(struct connection *c, const struct site *site, int64_t now_ms)
{
    bool goes_on = true;
    for (int i = 0; goes_on && i < STEPS_MAX; i++) {
        switch (c->state) {
        case CONNECTION_READS:
            goes_on = step_read(c, site, now_ms);
            break;
        case CONNECTION_WRITES:
            goes_on = step_write(c, now_ms);
            break;
        case CONNECTION_EVENTS:
        case CONNECTION_DRAINS:
            goes_on = step_drain(c);
            break;
        case CONNECTION_CLOSED:
            goes_on = false;
            break;
        }
    }
}
