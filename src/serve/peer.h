/* SPDX-License-Identifier: Apache-2.0 */
/* Whose process is at the other end of a loopback connection. */
#ifndef SCALENE_SERVE_PEER_H
#define SCALENE_SERVE_PEER_H

#include "serve/site.h"

#include <stdio.h>
#include <sys/types.h>

/* Asks the kernel's table of sockets. Root's processes count as the user's own: they can read
 * everything anyway, and relays (of WSL, of sshd) run as root. */
enum peer peer_of(int connection);

/* The same from a table in the form of /proc/net/tcp: the socket at loopback's `port` that is
 * connected to `server_port`, and whether it belongs to `user` or root. */
enum peer peer_find(FILE *table, unsigned port, unsigned server_port, uid_t user);

#endif
