/* SPDX-License-Identifier: Apache-2.0 */
/* Writes lines like those of /proc/self/maps, sorted by address as there, so that modules.c need
 * not know where they come from. The dynamic linker guards its lists by a lock: boot only. */
#include "agent/listed.h"

#include "agent/agent.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "agent/safe.h"

#define SEGMENTS_MAX 1024u
#define TEXT_BYTES   (128u * 1024)
#define PAGE         4096u

struct segment {
    uint64_t low, high, offset;
    uint64_t number; /* of the module, in place of an inode */
    const char *path;
    bool is_executable;
};

static struct segment segments[SEGMENTS_MAX];
static uint32_t n_segments, n_modules, n_text;
static char text[TEXT_BYTES];

/* Keeps the order of addresses. */
static void insert(const struct segment *segment)
{
    uint32_t at = n_segments;
    if (n_segments == SEGMENTS_MAX)
        return;
    for (; at > 0 && segments[at - 1].low > segment->low; at--)
        segments[at] = segments[at - 1];
    segments[at] = *segment;
    n_segments++;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    const char *path = info->dlpi_name;
    if (n_modules++ == 0 && !*path) /* the program itself has no name here */
        path = (const char *)getauxval(AT_EXECFN);
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t low = info->dlpi_addr + p->p_vaddr, high = low + p->p_memsz;
        if (p->p_type == PT_LOAD)
            insert(&(struct segment){.low = low & -(uint64_t)PAGE,
                                     .high = (high + PAGE - 1) & -(uint64_t)PAGE,
                                     .offset = p->p_offset & -(uint64_t)PAGE,
                                     .number = n_modules,
                                     .path = path,
                                     .is_executable = p->p_flags & PF_X});
    }
    return 0;
}

static void put(const char *from, size_t n)
{
    memcpy(text + n_text, from, n);
    n_text += (uint32_t)n;
}

static void put_number(uint64_t value, unsigned base, char after)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = after;
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    put(digits + at, sizeof digits - at);
}

/* low-high perms offset dev inode path */
static void put_line(const struct segment *s)
{
    size_t n_path = strlen(s->path);
    if (n_text + n_path + 128 > TEXT_BYTES)
        return;
    put_number(s->low, 16, '-');
    put_number(s->high, 16, ' ');
    put(s->is_executable ? "r-xp " : "r--p ", 5);
    put_number(s->offset, 16, ' ');
    put("00:00 ", 6);
    put_number(s->number, 10, ' ');
    put(s->path, n_path);
    put("\n", 1);
}

void listed_read(void)
{
    n_segments = n_modules = n_text = 0;
    dl_iterate_phdr(add_module, NULL);
    for (uint32_t i = 0; i < n_segments; i++)
        put_line(&segments[i]);
}

const char *listed_text(uint32_t *n)
{
    *n = n_text;
    return text;
}
