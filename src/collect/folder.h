/* SPDX-License-Identifier: Apache-2.0 */
/* The private folder in which the agents of one run find the control block and leave their rings.
 *
 *     scalene-<our pid>-XXXXXX/       mode 0700, in shared memory where there is some
 *         control                     struct control; locked by us as long as we live
 *         ring-<pid>-<time_ns>        made by an agent, unlinked as soon as we have opened it
 *         <user>/ring-...             where processes that gave up their rights can make them: the
 *                                     folder's mode is 0711 from then on, and this one that user's
 *         libscalene.so               a link, only when the library's own path cannot be preloaded
 */
#ifndef SCALENE_COLLECT_FOLDER_H
#define SCALENE_COLLECT_FOLDER_H

#include "base/err.h"
#include "wire/ring.h"

#include <sys/types.h>

struct folder {
    char path[512];
    int fd, control_fd;
    struct control *control; /* owns the mapping; shared with every agent */
};

/* Makes the folder and the control block, and removes what dead runs have left behind. */
bool folder_open(struct folder *folder, const char *agent_path, uint32_t period_ns,
                 uint32_t ring_bytes, struct err *e);
/* Where such folders may lie: the i-th place, empty where there is none of this kind; NULL after
 * the last. */
const char *folder_place(size_t i);
/* The collector that made a folder of this name; 0: it is none of ours. */
pid_t folder_owner(const char *name);
/* Removes the folder and all that is in it. */
void folder_close(struct folder *folder);

#endif
