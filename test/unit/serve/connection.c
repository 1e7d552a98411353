/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of one connection, over a pair of sockets and with a clock of the test's own. */
#include "serve/connection.h"

#include "../check.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef0123456789abcdef"

static struct site site = {.token = TOKEN, .port = 11235, .page = {"<p>page", 7}};
static struct connection c;
static int far;

static void open_pair(void)
{
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    far = ends[1];
    connection_open(&c, ends[0], 1000);
}

static void close_pair(void)
{
    connection_close(&c);
    close(far);
}

static void say_far(const char *text)
{
    CHECK(send(far, text, strlen(text), 0) == (ssize_t)strlen(text));
    connection_step(&c, &site, 2000);
}

/* What has come by now; ended by a zero. */
static const char *heard(void)
{
    static char text[8192];
    ssize_t n = recv(far, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static void ask_for(const char *name)
{
    char text[200];
    snprintf(text, sizeof text, "GET /" TOKEN "/%s HTTP/1.1\r\nHost: localhost\r\n\r\n", name);
    say_far(text);
}

/* A file of `n` bytes that the site has as its profile. */
static int make_profile(size_t n)
{
    static char path[512];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/scalene-connection-%d", folder ? folder : "/tmp", getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)n) == 0);
    site.profile = path;
    return fd;
}

static void request_may_come_in_pieces(void)
{
    open_pair();
    say_far("GET /" TOKEN "/ HT");
    CHECK(c.state == CONNECTION_READS && connection_events(&c) == POLLIN && !*heard());
    say_far("TP/1.1\r\nHost: local");
    say_far("host\r\n\r\n");
    const char *answer = heard();
    CHECK(strncmp(answer, "HTTP/1.1 200 OK\r\n", 17) == 0);
    CHECK(strstr(answer, "\r\nContent-Length: 7\r\n") && strstr(answer, "\r\n\r\n<p>page"));
    close_pair();
}

/* Bytes that come after the answer are read and forgotten; the end of the other side is the end. */
static void what_follows_a_request_is_drained(void)
{
    open_pair();
    ask_for("nothing");
    CHECK(c.state == CONNECTION_DRAINS && strstr(heard(), "404 Not Found"));
    say_far("GET / HTTP/1.1\r\n\r\n");
    CHECK(c.state == CONNECTION_DRAINS && !*heard());
    shutdown(far, SHUT_WR);
    connection_step(&c, &site, 2000);
    CHECK(c.state == CONNECTION_CLOSED);
    close_pair();
}

static void page_that_is_open_is_waited_for_without_end(void)
{
    open_pair();
    ask_for("events");
    CHECK(c.state == CONNECTION_EVENTS && c.deadline_ms == INT64_MAX);
    const char *answer = heard();
    CHECK(strstr(answer, "text/event-stream") && strstr(answer, "data: open\n\n"));
    CHECK(!strstr(answer, "Content-Length"));
    close(far);
    connection_step(&c, &site, 3000);
    CHECK(c.state == CONNECTION_CLOSED);
}

static void patience_grows_only_with_progress(void)
{
    open_pair();
    int64_t first = c.deadline_ms;
    CHECK(first > 1000);
    say_far("G");
    say_far("E");
    CHECK(c.deadline_ms == first); /* a byte now and then does not help */
    close_pair();

    int file = make_profile(8 << 20);
    open_pair();
    ask_for("profile.json");
    int64_t stuck = c.deadline_ms;
    CHECK(c.state == CONNECTION_WRITES && connection_events(&c) == POLLOUT);
    connection_step(&c, &site, 5000);
    CHECK(c.deadline_ms == stuck); /* nobody reads */
    while (*heard() || recv(far, (char[65536]){0}, 65536, 0) > 0)
        ;
    connection_step(&c, &site, 6000);
    CHECK(c.deadline_ms > stuck);
    close_pair();
    close(file);
    unlink(site.profile);
}

/* The length was told before; sending less and closing is how the other side learns of it. */
static void file_that_shrinks_ends_the_connection(void)
{
    int file = make_profile(8 << 20);
    open_pair();
    ask_for("profile.json");
    CHECK(c.state == CONNECTION_WRITES && ftruncate(file, 1000) == 0);
    while (recv(far, (char[65536]){0}, 65536, 0) > 0)
        ;
    connection_step(&c, &site, 2000);
    CHECK(c.state == CONNECTION_CLOSED);
    close_pair();
    close(file);
    unlink(site.profile);
}

static void reader_that_goes_away_ends_the_connection(void)
{
    int file = make_profile(8 << 20);
    open_pair();
    ask_for("profile.json");
    close(far);
    connection_step(&c, &site, 2000); /* no signal ends the program */
    CHECK(c.state == CONNECTION_CLOSED);
    close(file);
    unlink(site.profile);
}

int main(void)
{
    RUN(request_may_come_in_pieces);
    RUN(what_follows_a_request_is_drained);
    RUN(page_that_is_open_is_waited_for_without_end);
    RUN(patience_grows_only_with_progress);
    RUN(file_that_shrinks_ends_the_connection);
    RUN(reader_that_goes_away_ends_the_connection);
    return 0;
}
