/* SPDX-License-Identifier: Apache-2.0 */
/* The owner of a connection, from /proc/net/tcp:
 *
 *     sl  local_address rem_address   st tx_queue:rx_queue tr:tm->when retrnsmt   uid ...
 *      0: 0100007F:2BE3 0100007F:D2F0 01 ...                                      1000
 *
 * Every user of a machine reaches its loopback, and the address with the token stands in the
 * browser's command line, where all can read it. So the token alone does not keep others out. */
#include "serve/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum peer peer_find(FILE *table, unsigned port, unsigned server_port, uid_t user)
{
    char line[512];
    while (fgets(line, sizeof line, table)) {
        unsigned local_address, local_port, remote_address, remote_port, owner;
        int n = sscanf(line, " %*d: %8X:%4X %8X:%4X %*X %*X:%*X %*X:%*X %*X %u", &local_address,
                       &local_port, &remote_address, &remote_port, &owner);
        if (n != 5 || local_address != htonl(INADDR_LOOPBACK) || local_port != port ||
            remote_address != htonl(INADDR_LOOPBACK) || remote_port != server_port)
            continue;
        return owner == user || owner == 0 ? PEER_OWN : PEER_FOREIGN;
    }
    return PEER_UNKNOWN;
}

enum peer peer_of(int connection)
{
    struct sockaddr_in far = {0}, near = {0};
    socklen_t n_far = sizeof far, n_near = sizeof near;
    if (getpeername(connection, (struct sockaddr *)&far, &n_far) != 0 ||
        getsockname(connection, (struct sockaddr *)&near, &n_near) != 0)
        return PEER_UNKNOWN;
    FILE *table = fopen("/proc/net/tcp", "re");
    if (!table)
        return PEER_UNKNOWN;
    enum peer peer = peer_find(table, ntohs(far.sin_port), ntohs(near.sin_port), geteuid());
    fclose(table);
    return peer;
}
