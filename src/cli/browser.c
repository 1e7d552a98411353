/* SPDX-License-Identifier: Apache-2.0 */
/* Which browser, and how it is started: $BROWSER (commands separated by colons, %s is the address),
 * as other programs read it; else the desktop's, if there is a desktop. A browser in the terminal
 * would take the terminal away from the user, so none of those. */
#include "cli/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_WORDS 16

bool browser_is_text(const char *command)
{
    static const char *const names[] = {"browsh", "elinks", "links",      "links2",
                                        "lynx",   "w3m",    "www-browser"};
    const char *slash = strrchr(command, '/'), *name = slash ? slash + 1 : command;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Becomes the browser, in a session of its own, its three streams nowhere. */
static void become(char *const words[], int report)
{
    int nowhere = open("/dev/null", O_RDWR);
    setsid();
    for (int fd = 0; fd < 3 && nowhere >= 0; fd++)
        dup2(nowhere, fd);
    execvp(words[0], words);
    int why = errno;
    (void)!write(report, &why, sizeof why);
    _exit(127);
}

/* False: it could not be started. The process in between ends at once, so that the browser is
 * nobody's child and we have none to wait for. */
static bool start(char *const words[])
{
    int ends[2], why;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0)
            become(words, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    /* An exec that works closes the pipe without a word. */
    bool is_started = child > 0 && read(ends[0], &why, sizeof why) == 0;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return is_started;
}

/* Starts one command of $BROWSER: words separated by blanks. */
static bool start_command(char *command, const char *address)
{
    char *words[N_WORDS + 2], *rest, *word = strtok_r(command, " \t", &rest);
    size_t n = 0;
    bool is_placed = false;
    for (; word && n < N_WORDS; word = strtok_r(NULL, " \t", &rest)) {
        bool is_place = strcmp(word, "%s") == 0;
        words[n++] = is_place ? (char *)address : word;
        is_placed |= is_place;
    }
    if (n == 0 || browser_is_text(words[0]))
        return false;
    if (!is_placed)
        words[n++] = (char *)address;
    words[n] = NULL;
    return start(words);
}

static bool start_wish(const char *wish, const char *address)
{
    char *commands = strdup(wish), *rest;
    bool is_started = false;
    if (!commands)
        return false;
    for (char *command = strtok_r(commands, ":", &rest); command && !is_started;
         command = strtok_r(NULL, ":", &rest))
        is_started = start_command(command, address);
    free(commands);
    return is_started;
}

static bool has(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

bool browser_open(const char *address)
{
    static const char *const desktops[] = {"xdg-open", "gio open", "x-www-browser"};
    const char *wish = getenv("BROWSER");
    if (wish && *wish)
        return start_wish(wish, address);
    if (has("WSL_DISTRO_NAME") && start_wish("wslview", address))
        return true;
    if (!has("DISPLAY") && !has("WAYLAND_DISPLAY"))
        return false;
    for (size_t i = 0; i < sizeof desktops / sizeof *desktops; i++)
        if (start_wish(desktops[i], address))
            return true;
    return false;
}
