/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the owner of a connection: from tables written here, and of a connection to ourselves.
 */
#include "serve/peer.h"

#include "../check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static const char table[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:2BE3 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0\n"
    "   1: 0100007F:2BE3 0100007F:D2F0 01 00000000:00000000 00:00000000 00000000  1000        0\n"
    "   2: 0100007F:D2F0 0100007F:2BE3 01 00000000:00000000 02:00000500 00000000  1001        0\n"
    "   3: 0100007F:D2F1 0100007F:2BE3 01 00000000:00000000 00:00000000 00000000     0        0\n"
    "  14: 0200007F:D2F2 0100007F:2BE3 01 00000000:00000000 00:00000000 00000000  1000        0\n"
    "garbage\n";

static enum peer find(unsigned port, uid_t user)
{
    FILE *file = fmemopen((void *)table, sizeof table - 1, "r");
    CHECK(file);
    enum peer peer = peer_find(file, port, 11235, user);
    fclose(file);
    return peer;
}

static void owner_is_found_in_the_table(void)
{
    CHECK(find(0xd2f0, 1001) == PEER_OWN);
    CHECK(find(0xd2f0, 1000) == PEER_FOREIGN);
    CHECK(find(0xd2f1, 1000) == PEER_OWN); /* root's */
    CHECK(find(0xd2f2, 1000) == PEER_UNKNOWN);
    CHECK(find(0xd2f3, 1000) == PEER_UNKNOWN);
}

static void connection_to_ourselves_is_our_own(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), far = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&address, n) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &n) == 0);
    CHECK(connect(far, (struct sockaddr *)&address, n) == 0);
    int near = accept(listener, NULL, NULL);
    CHECK(near >= 0 && peer_of(near) == PEER_OWN);
    close(near);
    close(far);
    close(listener);
}

int main(void)
{
    RUN(owner_is_found_in_the_table);
    RUN(connection_to_ourselves_is_our_own);
    return 0;
}
