// SPDX-License-Identifier: Apache-2.0
// Every way there is to get memory, each by a function of its own: n blocks of `size` bytes, kept
// until release_all() gives them back the way that belongs to them.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <malloc.h>
#include <new>
#include <strings.h>
#include <sys/mman.h>
#include <vector>

// As libraries are built that call the checked versions; by hand, so that no compiler decides.
extern "C" {
void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__stpncpy_chk(char *, const char *, size_t, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);
// Not in every libc yet: the agent brings them.
void free_sized(void *, size_t) __attribute__((weak));
void free_aligned_sized(void *, size_t, size_t) __attribute__((weak));
}

struct block {
    void *at;
    size_t size;
    void (*release)(void *, size_t);
};

// In mapped memory of fixed size, which is there before anything is measured.
static block *blocks;
static size_t n_blocks;
static const size_t BLOCKS_MAX = 1 << 22;
static const std::align_val_t ALIGNED{64};

// Some versions of libstdc++ ask malloc for the next multiple of the alignment, some do not.
static size_t up(size_t n) { return (n + 63) / 64 * 64; }

static void by_free(void *at, size_t) { free(at); }
static void by_munmap(void *at, size_t size) { munmap(at, size); }

static void *map(size_t size)
{
    void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
}

struct way {
    const char *name;
    void *(*get)(size_t);
    void (*release)(void *, size_t);
};

static const way ways[] = {
    {"malloc", malloc, by_free},
    {"calloc", [](size_t n) { return calloc(1, n); }, by_free},
    {"realloc", [](size_t n) { return realloc(malloc(n / 2), n); }, by_free},
    {"realloc_null", [](size_t n) { return realloc(nullptr, n); }, by_free},
    {"reallocarray", [](size_t n) { return reallocarray(nullptr, 1, n); }, by_free},
    {"realloc_to_nothing", malloc, [](void *p, size_t) { if (realloc(p, 0)) abort(); }},
    {"posix_memalign", [](size_t n) { void *p = nullptr; return posix_memalign(&p, 64, n) ? nullptr : p; }, by_free},
    {"aligned_alloc", [](size_t n) { return aligned_alloc(64, n); }, by_free},
    {"memalign", [](size_t n) { return memalign(128, n); }, by_free},
    {"valloc", valloc, by_free},
    {"pvalloc", pvalloc, by_free},
    {"free_sized", malloc, [](void *p, size_t n) { free_sized ? free_sized(p, n) : free(p); }},
    {"free_aligned_sized", [](size_t n) { return aligned_alloc(64, n); },
     [](void *p, size_t n) { free_aligned_sized ? free_aligned_sized(p, 64, n) : free(p); }},
    {"mmap", map, by_munmap},
    {"mremap", [](size_t n) { return mremap(map(n / 2), n / 2, n, MREMAP_MAYMOVE); }, by_munmap},
    {"new", [](size_t n) { return operator new(n); }, [](void *p, size_t) { operator delete(p); }},
    {"new_array", [](size_t n) { return operator new[](n); }, [](void *p, size_t) { operator delete[](p); }},
    {"new_nothrow", [](size_t n) { return operator new(n, std::nothrow); },
     [](void *p, size_t) { operator delete(p, std::nothrow); }},
    {"new_array_nothrow", [](size_t n) { return operator new[](n, std::nothrow); },
     [](void *p, size_t) { operator delete[](p, std::nothrow); }},
    {"new_sized", [](size_t n) { return operator new(n); }, [](void *p, size_t n) { operator delete(p, n); }},
    {"new_array_sized", [](size_t n) { return operator new[](n); }, [](void *p, size_t n) { operator delete[](p, n); }},
    {"new_aligned", [](size_t n) { return operator new(up(n), ALIGNED); }, [](void *p, size_t) { operator delete(p, ALIGNED); }},
    {"new_aligned_sized", [](size_t n) { return operator new(up(n), ALIGNED); },
     [](void *p, size_t n) { operator delete(p, up(n), ALIGNED); }},
    {"new_array_aligned", [](size_t n) { return operator new[](up(n), ALIGNED); },
     [](void *p, size_t) { operator delete[](p, ALIGNED); }},
};

static void keep(void *at, size_t size, void (*release)(void *, size_t))
{
    if (!at || n_blocks == BLOCKS_MAX)
        abort();
    blocks[n_blocks++] = {at, size, release};
}

extern "C" {

void prepare()
{
    blocks = (block *)map(BLOCKS_MAX * sizeof *blocks);
}

int get(const char *name, size_t size, size_t n)
{
    for (const way &w : ways)
        if (strcmp(w.name, name) == 0) {
            for (size_t i = 0; i < n; i++)
                keep(w.get(size), size, w.release);
            return 1;
        }
    return 0;
}

// By functions of Python: the pointers are told.
void get_by(void *(*allocate)(size_t), size_t size, size_t n)
{
    for (size_t i = 0; i < n; i++)
        keep(allocate(size), size, by_free);
}

void release_by(void (*release)(void *))
{
    while (n_blocks)
        release(blocks[--n_blocks].at);
}

void release_all()
{
    while (n_blocks) {
        const block &b = blocks[--n_blocks];
        b.release(b.at, b.size);
    }
}

// ---- mappings that are given back piece by piece ----

void *map_memory(size_t n) { return map(n); }
void *map_near(void *hint, size_t n)
{
    return mmap(hint, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
void *map_at(void *at, size_t n, int protection)
{
    return mmap(at, n, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}
int unmap(char *at, size_t n) { return munmap(at, n); }
/* Whether an allocation that is refused throws what it throws, and is caught here. */
int new_throws()
{
    static volatile size_t too_much = size_t(1) << 60;
    try {
        operator delete(operator new(too_much));
    } catch (const std::bad_alloc &) {
        return 1;
    }
    return 0;
}

void *remap(void *at, size_t n, size_t new_n) { return mremap(at, n, new_n, MREMAP_MAYMOVE); }

// ---- copies: n times size bytes, all told, by every function that copies ----

int copy(const char *name, size_t size, size_t n)
{
    size_t wide = size / sizeof(wchar_t), bytes = size;
    char *from = (char *)malloc(2 * size + 8), *to = (char *)malloc(2 * size + 8);
    memset(from, 'x', size);
    memset(from + size, 0, size + 8);
    from[size - 1] = 0;
    wchar_t *wfrom = (wchar_t *)malloc(size), *wto = (wchar_t *)malloc(size);
    wmemset(wfrom, L'x', wide);
    wfrom[wide - 1] = 0;
    size_t i = 0;
#define WAY(label, ...) if (strcmp(name, label) == 0) for (; i < n; i++) { to[0] = 0; wto[0] = 0; __VA_ARGS__; }
    WAY("memcpy", memcpy(to, from, bytes))
    WAY("memmove", memmove(to, from, bytes))
    WAY("mempcpy", if (mempcpy(to, from, bytes) != to + bytes) abort())
    WAY("bcopy", bcopy(from, to, bytes))
    WAY("memccpy", if (memccpy(to, from, 0, 2 * bytes) != to + bytes) abort())
    WAY("memccpy_all", if (memccpy(to, from, 'y', bytes) != nullptr) abort())
    WAY("strcpy", if (strcpy(to, from) != to) abort())
    WAY("stpcpy", if (stpcpy(to, from) != to + bytes - 1) abort())
    WAY("strcat", if (strcat(to, from) != to) abort())
    WAY("strncpy", if (strncpy(to, from, bytes - 1) != to) abort())
    WAY("stpncpy", if (stpncpy(to, from, bytes + 5) != to + bytes - 1) abort())
    WAY("strncat", if (strncat(to, from, bytes) != to) abort())
    WAY("wmemcpy", wmemcpy(wto, wfrom, wide))
    WAY("wmemmove", wmemmove(wto, wfrom, wide))
    WAY("wmempcpy", if (wmempcpy(wto, wfrom, wide) != wto + wide) abort())
    WAY("wcscpy", if (wcscpy(wto, wfrom) != wto) abort())
    WAY("wcpcpy", if (wcpcpy(wto, wfrom) != wto + wide - 1) abort())
    WAY("wcscat", if (wcscat(wto, wfrom) != wto) abort())
    WAY("memcpy_chk", __memcpy_chk(to, from, bytes, bytes))
    WAY("memmove_chk", __memmove_chk(to, from, bytes, bytes))
    WAY("mempcpy_chk", __mempcpy_chk(to, from, bytes, bytes))
    WAY("strcpy_chk", __strcpy_chk(to, from, bytes))
    WAY("stpcpy_chk", if (__stpcpy_chk(to, from, bytes) != to + bytes - 1) abort())
    WAY("strcat_chk", __strcat_chk(to, from, bytes))
    WAY("strncpy_chk", __strncpy_chk(to, from, bytes - 1, bytes))
    WAY("stpncpy_chk", if (__stpncpy_chk(to, from, bytes, bytes) != to + bytes - 1) abort())
    WAY("strncat_chk", __strncat_chk(to, from, bytes, bytes))
    int is_same = name[0] == 'w' ? wmemcmp(wto, wfrom, wide) == 0 : memcmp(to, from, size - 1) == 0;
    free(from), free(to), free(wfrom), free(wto);
    return i == n && is_same;
}
}
