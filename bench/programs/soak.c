/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates and frees until a volume is reached: blocks from 16 bytes to 3 MB, small ones most
 * often, a few hundred of them alive at any time. Called by threads of Python without the GIL. */
#include <stdint.h>
#include <stdlib.h>

#define KEPT 300

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t size_of(uint64_t random)
{
    static const size_t most[] = {200, 200, 200, 2000, 2000, 30000, 300000, 3000000};
    return 16 + (random >> 8) % most[random % 8];
}

/* The bytes that were asked for. */
uint64_t soak(uint64_t n_bytes, uint64_t seed)
{
    char *kept[KEPT] = {0};
    uint64_t random = seed * 7919 + 88172645463325252ull, total = 0;
    while (total < n_bytes) {
        size_t slot = next_random(&random) % KEPT, size = size_of(next_random(&random));
        if (random >> 40 & 1) {
            kept[slot] = realloc(kept[slot], size);
        } else {
            free(kept[slot]);
            kept[slot] = malloc(size);
        }
        if (!kept[slot])
            abort();
        kept[slot][0] = 1;
        total += size;
    }
    for (size_t i = 0; i < KEPT; i++)
        free(kept[i]);
    return total;
}
