/* SPDX-License-Identifier: Apache-2.0 */
/* What we may look at, found out on ourselves before there is a process to look at. */
#include "watch/proc.h"
#include "watch/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define CAPABILITY_PTRACE 19u /* to look into processes of others and into those that hide */

struct capability_head {
    uint32_t version;
    int pid;
};
struct capability_sets {
    uint32_t effective, permitted, inheritable;
};

static bool has_capability(unsigned number)
{
    struct capability_head head = {0x20080522, 0}; /* version 3: two words a set */
    struct capability_sets sets[2] = {{0}};
    return syscall(SYS_capget, &head, sets) == 0 && (sets[0].effective >> number & 1);
}

enum control_waits watch_access(void)
{
    uint64_t from_word = 1, to_word = 0;
    struct iovec to = {&to_word, sizeof to_word}, from = {&from_word, sizeof from_word};
    if (!proc_can_be_seen(getpid()) || process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0)
        return WAITS_INSIDE;
    return has_capability(CAPABILITY_PTRACE) ? WAITS_OUTSIDE : WAITS_OUTSIDE_IF_DUMPABLE;
}
