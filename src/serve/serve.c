/* SPDX-License-Identifier: Apache-2.0 */
/* The server's loop: one thread, one poll over the listening socket and a few connections. */
#include "serve/serve.h"

#include "base/arena.h"
#include "serve/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* How many ports are tried; a machine with more servers of ours than this has another trouble. */
#define N_PORTS 500
/* A browser opens six to a host, and keeps one for events. */
#define N_CONNECTIONS 32
#define BACKLOG       16

struct server {
    const struct site *site; /* borrows */
    int listener;
    int64_t page_seen_ms; /* when a page was last known to be open */
    bool had_page;
    struct connection connections[N_CONNECTIONS];
};

static int64_t now_ms(void)
{
    struct timespec now;
    /* Time in which the machine is suspended does not count. */
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* From a file, since older kernels and C libraries have no getrandom. */
static bool make_token(char token[SITE_TOKEN_SIZE], struct err *e)
{
    unsigned char bytes[(SITE_TOKEN_SIZE - 1) / 2];
    FILE *source = fopen("/dev/urandom", "re");
    bool is_read = source && fread(bytes, sizeof bytes, 1, source) == 1;
    if (source)
        fclose(source);
    if (!is_read)
        return err_set(e, "the system gives no random bytes: %s.", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* Listens on the first free port. SO_REUSEADDR only passes over connections that are closing: a
 * port on which another server listens stays refused. */
static bool listen_somewhere(int fd, unsigned *port, struct err *e)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    for (*port = SERVE_PORT; *port < SERVE_PORT + N_PORTS; ++*port) {
        address.sin_port = htons((uint16_t)*port);
        if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) {
            if (listen(fd, BACKLOG) == 0)
                return true;
            break;
        }
        if (errno != EADDRINUSE && errno != EACCES)
            break;
    }
    return err_set(e, "no port from %d on can be listened on: %s.", SERVE_PORT, strerror(errno));
}

struct server *serve_open(struct site *site, struct err *e)
{
    if (!make_token(site->token, e))
        return NULL;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        err_set(e, "cannot make a socket: %s.", strerror(errno));
        return NULL;
    }
    if (!listen_somewhere(fd, &site->port, e)) {
        close(fd);
        return NULL;
    }
    struct server *server = xrealloc(NULL, sizeof *server);
    *server = (struct server){.site = site, .listener = fd};
    return server;
}

void serve_address(const struct site *site, char address[96])
{
    static const char *const queries[2][2] = {{"", "?keys"}, {"?compare", "?compare&keys"}};
    snprintf(address, 96, "http://127.0.0.1:%u/%s/%s", site->port, site->token,
             queries[site->compare != NULL][site->keys != NULL]);
}

void serve_close(struct server *server)
{
    for (size_t i = 0; i < N_CONNECTIONS; i++)
        connection_close(&server->connections[i]);
    close(server->listener);
    free(server);
}

/* A place for a new connection. When all are taken, the one that has dawdled longest over its
 * request, or over its end, goes: who does not know the token cannot keep the page out. */
static struct connection *free_place(struct server *server)
{
    struct connection *worst = NULL;
    for (size_t i = 0; i < N_CONNECTIONS; i++) {
        struct connection *c = &server->connections[i];
        if (c->state == CONNECTION_CLOSED)
            return c;
        bool may_go = c->state == CONNECTION_READS || c->state == CONNECTION_DRAINS;
        if (may_go && (!worst || c->deadline_ms < worst->deadline_ms))
            worst = c;
    }
    if (worst)
        connection_close(worst);
    return worst;
}

static void take_connections(struct server *server, int64_t now)
{
    for (;;) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        struct connection *place = free_place(server);
        if (place)
            connection_open(place, fd, now);
        else
            close(fd);
    }
}

static void end_the_late(struct server *server, int64_t now)
{
    for (size_t i = 0; i < N_CONNECTIONS; i++)
        if (server->connections[i].deadline_ms <= now)
            connection_close(&server->connections[i]);
}

/* Whether a page is open, or is just being loaded. */
static bool has_page(const struct server *server)
{
    for (size_t i = 0; i < N_CONNECTIONS; i++) {
        const struct connection *c = &server->connections[i];
        if (c->state == CONNECTION_EVENTS ||
            (c->state == CONNECTION_WRITES && c->answer.status == 200))
            return true;
    }
    return false;
}

/* When the server is to end if nothing happens until then. */
static int64_t end_ms(struct server *server, int64_t now, int64_t linger_ms, int64_t patience_ms)
{
    if (has_page(server)) {
        server->had_page = true;
        server->page_seen_ms = now;
        return INT64_MAX;
    }
    return server->page_seen_ms + (server->had_page ? linger_ms : patience_ms);
}

/* The listener, the stop, and every connection: places that are free are passed over by poll. */
static void fill(const struct server *server, int stop, struct pollfd polls[N_CONNECTIONS + 2])
{
    polls[0] = (struct pollfd){.fd = server->listener, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = stop, .events = POLLIN};
    for (size_t i = 0; i < N_CONNECTIONS; i++) {
        const struct connection *c = &server->connections[i];
        bool is_open = c->state != CONNECTION_CLOSED;
        polls[i + 2] = (struct pollfd){.fd = is_open ? c->fd : -1, .events = connection_events(c)};
    }
}

/* How long poll may sleep: until the next deadline, at most a minute. */
static int sleep_ms(const struct server *server, int64_t now, int64_t end)
{
    int64_t next = end < now + 60000 ? end : now + 60000;
    for (size_t i = 0; i < N_CONNECTIONS; i++) {
        const struct connection *c = &server->connections[i];
        if (c->state != CONNECTION_CLOSED && c->deadline_ms < next)
            next = c->deadline_ms;
    }
    return next > now ? (int)(next - now) : 0;
}

bool serve_run(struct server *server, int stop, int64_t linger_ms, int64_t patience_ms,
               struct err *e)
{
    struct pollfd polls[N_CONNECTIONS + 2];
    int64_t now = now_ms();
    server->page_seen_ms = now;
    for (;;) {
        int64_t end = end_ms(server, now, linger_ms, patience_ms);
        if (end <= now)
            return true;
        fill(server, stop, polls);
        if (poll(polls, N_CONNECTIONS + 2, sleep_ms(server, now, end)) < 0 && errno != EINTR)
            return err_set(e, "cannot wait for the browser: %s.", strerror(errno));
        now = now_ms();
        if (polls[1].revents)
            return true;
        for (size_t i = 0; i < N_CONNECTIONS; i++)
            if (polls[i + 2].revents)
                connection_step(&server->connections[i], server->site, now);
        if (polls[0].revents)
            take_connections(server, now);
        end_the_late(server, now);
    }
}
