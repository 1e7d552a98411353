/* SPDX-License-Identifier: Apache-2.0 */
/* What takes long is said on a terminal, and wiped away; elsewhere nothing is said. */
#include "cli/progress.h"

#include "../check.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes the standard error a new terminal; the end that shows what is written to it. */
static int open_terminal(void)
{
    int shown = posix_openpt(O_RDWR | O_NOCTTY);
    CHECK(shown >= 0 && grantpt(shown) == 0 && unlockpt(shown) == 0);
    int terminal = open(ptsname(shown), O_RDWR | O_NOCTTY);
    CHECK(terminal >= 0 && dup2(terminal, STDERR_FILENO) == STDERR_FILENO);
    return shown;
}

/* Reads until `want` was shown, for half a minute at most. */
static bool is_shown(int fd, const char *want)
{
    static char text[4096];
    static size_t n;
    for (int i = 0; i < 300 && !strstr(text, want); i++) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, 100) == 1 && n < sizeof text - 1) {
            ssize_t more = read(fd, text + n, sizeof text - 1 - n);
            n += more > 0 ? (size_t)more : 0;
        }
    }
    return strstr(text, want) != NULL;
}

static void what_takes_long_is_said_and_wiped_away(void)
{
    int shown = open_terminal();
    progress_show("counting");
    CHECK(is_shown(shown, "\rscalene: counting, 1 s\033[K"));
    CHECK(is_shown(shown, "\rscalene: counting, 2 s\033[K"));
    progress_show("writing");
    CHECK(is_shown(shown, "\rscalene: writing, 1 s\033[K"));
    progress_show(NULL);
    CHECK(is_shown(shown, "\033[K\r\033[K"));
    progress_show(NULL);
}

static void elsewhere_nothing_is_said(void)
{
    int ends[2];
    char byte;
    CHECK(pipe2(ends, O_NONBLOCK) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    progress_show("counting");
    usleep(1500000);
    progress_show(NULL);
    CHECK(read(ends[0], &byte, 1) < 0);
}

int main(void)
{
    RUN(what_takes_long_is_said_and_wiped_away);
    RUN(elsewhere_nothing_is_said);
    return 0;
}
