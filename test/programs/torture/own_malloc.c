/* SPDX-License-Identifier: Apache-2.0 */
/* A Python that brings its own malloc, as builds with an allocator linked in do: blocks of powers
 * of two, out of mapped memory, with their size in front of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define HEAD    16u
#define CLASSES 48
#define CHUNK   (4u << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *lists[CLASSES];
static char *chunk, *chunk_end;

static void *map(size_t n)
{
    void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static char *carve(size_t n)
{
    if ((size_t)(chunk_end - chunk) < n) {
        if (n > CHUNK / 4)
            return map(n);
        chunk = map(CHUNK);
        chunk_end = chunk ? chunk + CHUNK : NULL;
        if (!chunk)
            return NULL;
    }
    chunk += n;
    return chunk - n;
}

void *malloc(size_t n)
{
    int class = 5;
    while (class < CLASSES && ((size_t)1 << class) < n + HEAD)
        class ++;
    if (class == CLASSES || n > SIZE_MAX / 2) {
        errno = ENOMEM;
        return NULL;
    }
    pthread_mutex_lock(&lock);
    char *at = lists[class];
    if (at)
        memcpy(&lists[class], at + HEAD, sizeof(void *));
    else
        at = carve((size_t)1 << class);
    pthread_mutex_unlock(&lock);
    if (!at)
        return NULL;
    *(uint64_t *)at = (uint64_t) class;
    return at + HEAD;
}

void free(void *block)
{
    if (!block)
        return;
    char *at = (char *)block - HEAD;
    uint64_t class = *(uint64_t *)at;
    pthread_mutex_lock(&lock);
    memcpy(block, &lists[class], sizeof(void *));
    lists[class] = at;
    pthread_mutex_unlock(&lock);
}

void *calloc(size_t n, size_t size)
{
    size_t bytes;
    void *block = __builtin_mul_overflow(n, size, &bytes) ? NULL : malloc(bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void *realloc(void *block, size_t n)
{
    void *grown = malloc(n);
    if (block && grown) {
        size_t there = ((size_t)1 << *(uint64_t *)((char *)block - HEAD)) - HEAD;
        memcpy(grown, block, n < there ? n : there);
        free(block);
    }
    return grown;
}

int Py_BytesMain(int argc, char **argv);

int main(int argc, char **argv)
{
    return Py_BytesMain(argc, argv);
}
