/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a recording: it is read up to where it makes no sense, and what was read becomes a
 * profile, as in `scalene replay`.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -std=gnu11 -D_GNU_SOURCE -Isrc \
 *         test/fuzz/recording.c src/collect/recording.c src/analyze/[a-z]*.c src/symbol/[a-z]*.c \
 *         src/base/[a-z]*.c -lm -o fuzz-recording
 *     scalene run --record corpus/real prog.py && ./fuzz-recording -max_len=65536 corpus */
#include "collect/recording.h"

#include "analyze/profile.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void replay(struct recording *recording)
{
    uint32_t process;
    const struct record_header *record;
    struct profile *profile = profile_new(&(struct profile_input){0}); /* no ELF files */
    while (recording_read(recording, &process, &record))
        profile_add(profile, process, record);
    profile_finish(profile);
    profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    char path[32];
    struct recording recording;
    struct err e;
    int fd = memfd_create("recording", 0);
    if (fd < 0 || write(fd, data, n_bytes) != (ssize_t)n_bytes)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (recording_open(&recording, path, &e)) {
        replay(&recording);
        recording_close(&recording);
    }
    close(fd);
    return 0;
}
