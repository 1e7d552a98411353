/* SPDX-License-Identifier: Apache-2.0 */
/* The table of modules, read from /proc/self/maps with plain system calls: the dynamic linker's own
 * lists are guarded by locks a signal handler must not take, and do not know everything. Where
 * there is no /proc, what they knew at the start must do (listed.c).
 *
 * Synchronization: one thread at a time rebuilds, guarded by `is_rebuilding` (others go on with the
 * table there is). It fills the table that is not current, if nobody still reads it, and then makes
 * it current. Readers count themselves in and out of the table they use. */
#include "agent/modules.h"

#include "agent/agent.h"
#include "agent/clock.h"
#include "agent/emit.h"
#include "agent/file.h"
#include "agent/listed.h"
#include "agent/peek.h"
#include "agent/real.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/safe.h"

#define MODULES_MAX 1024
/* Code without a file (JIT) must not cost a rebuild each time it is met. */
#define REBUILD_EVERY  50000000u /* ns */
#define LINE_MAX_BYTES 4400      /* the kernel's paths have 4096 bytes at most */

struct table {
    _Atomic uint32_t readers;
    uint32_t n;
    struct module modules[MODULES_MAX]; /* by address */
};

static struct table tables[2];
static _Atomic uint32_t current;
static _Atomic bool is_rebuilding;
static _Atomic bool is_stale = true;
static _Atomic uint64_t next_rebuild_ns;

/* A line of /proc/self/maps, and the file header last seen before it. */
struct mapping {
    uint64_t low, high, offset, inode;
    bool is_executable;
    const char *path; /* borrowed from the line, zero-ended */
    uint32_t n_path;
};

struct maps {
    int fd;                           /* -1: the text of listed.c is read */
    uint32_t listed;                  /* how much of that was read */
    uint32_t at, n;                   /* unread part of the buffer */
    uint64_t header_at, header_inode; /* the mapping of file offset 0 seen last */
    char line[LINE_MAX_BYTES];
    char buffer[4096];
};
/* One rebuild at a time uses it, guarded by is_rebuilding. */
static struct maps maps;

static ssize_t maps_read(struct maps *m)
{
    uint32_t n;
    const char *text = listed_text(&n);
    if (m->fd >= 0)
        return file_read(m->fd, m->buffer, sizeof m->buffer);
    n -= m->listed;
    n = n < sizeof m->buffer ? n : (uint32_t)sizeof m->buffer;
    memcpy(m->buffer, text + m->listed, n);
    m->listed += n;
    return n;
}

static bool maps_line(struct maps *m)
{
    uint32_t n = 0;
    for (;;) {
        if (m->at == m->n) {
            ssize_t got = maps_read(m);
            if (got <= 0)
                return false;
            m->at = 0;
            m->n = (uint32_t)got;
        }
        char c = m->buffer[m->at++];
        if (c == '\n') {
            m->line[n] = 0;
            return true;
        }
        if (n < sizeof m->line - 1)
            m->line[n++] = c;
    }
}

static uint64_t parse_number(const char **text, unsigned base)
{
    uint64_t value = 0;
    for (;; (*text)++) {
        char c = **text;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 99;
        if (digit >= base)
            return value;
        value = value * base + digit;
    }
}

/* low-high perms offset dev inode   path */
static bool maps_next(struct maps *m, struct mapping *out)
{
    if (!maps_line(m))
        return false;
    const char *p = m->line;
    out->low = parse_number(&p, 16);
    p += *p == '-';
    out->high = parse_number(&p, 16);
    p += *p == ' ';
    out->is_executable = strlen(p) > 4 && p[2] == 'x';
    p += out->is_executable || strlen(p) > 4 ? 5 : 0;
    out->offset = parse_number(&p, 16);
    while (*p == ' ')
        p++;
    while (*p && *p != ' ') /* device */
        p++;
    p += *p == ' ';
    out->inode = parse_number(&p, 10);
    while (*p == ' ')
        p++;
    out->path = p;
    out->n_path = (uint32_t)strlen(p);
    if (out->offset == 0) {
        m->header_at = out->low;
        m->header_inode = out->inode;
    }
    return true;
}

static bool maps_open(struct maps *m)
{
    uint32_t n_listed;
    m->fd = file_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    m->at = m->n = m->listed = 0;
    m->header_at = 0;
    listed_text(&n_listed);
    return m->fd >= 0 || n_listed;
}

/* The program header of a kind, read from the mapped file header. */
static bool find_segment(uint64_t header_at, uint32_t type, Elf64_Phdr *out)
{
    Elf64_Ehdr e;
    if (!peek_bytes(header_at, &e, sizeof e) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
        e.e_phentsize != sizeof *out)
        return false;
    for (unsigned i = 0; i < e.e_phnum && i < 64; i++)
        if (peek_bytes(header_at + e.e_phoff + i * sizeof *out, out, sizeof *out) &&
            out->p_type == type)
            return true;
    return false;
}

/* Only the form every linker writes is understood: 4-byte offsets relative to the table. */
static void find_unwind_table(struct module *module, uint64_t header_at)
{
    Elf64_Phdr segment;
    uint32_t form, count;
    if (!find_segment(header_at, PT_GNU_EH_FRAME, &segment))
        return;
    uint64_t at = module->bias + segment.p_vaddr;
    if (!peek_u32(at, &form) || (form & 0xffff00ff) != 0x3b030001 || !peek_u32(at + 8, &count))
        return;
    module->eh_frame_hdr = at;
    module->n_functions = count;
}

static bool describe(const struct mapping *m, uint64_t header_at, struct module *module)
{
    Elf64_Phdr segment;
    *module = (struct module){.low = m->low, .high = m->high};
    if (!find_segment(header_at, PT_LOAD, &segment))
        return false;
    module->bias = header_at - (segment.p_vaddr & ~(uint64_t)4095);
    find_unwind_table(module, header_at);
    return true;
}

static void find_build_id(uint64_t header_at, uint64_t bias, struct record_module *record)
{
    Elf64_Phdr segment;
    Elf64_Nhdr note;
    if (!find_segment(header_at, PT_NOTE, &segment))
        return;
    uint64_t at = bias + segment.p_vaddr, end = at + segment.p_memsz;
    for (int i = 0; i < 8 && at + sizeof note <= end && peek_bytes(at, &note, sizeof note); i++) {
        uint64_t data = at + sizeof note + ((note.n_namesz + 3) & ~3u);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= sizeof record->build_id) {
            record->n_build_id = note.n_descsz;
            peek_bytes(data, record->build_id, note.n_descsz);
            return;
        }
        at = data + ((note.n_descsz + 3) & ~3u);
    }
}

static void send(const struct mapping *m, uint64_t header_at, struct module *module)
{
    struct record_module record = {.low = module->low,
                                   .high = module->high,
                                   .bias = module->bias,
                                   .path = {.n_chars = m->n_path, .width = 1}};
    find_build_id(header_at, module->bias, &record);
    const void *texts[] = {m->path};
    if (emit_record(RECORD_MODULE, 0, &record, sizeof record, &record.path, texts, 1))
        module->generation = agent.generation;
}

/* A module of the old table that is still the same has been sent already. */
static void send_if_new(const struct mapping *m, uint64_t header_at, struct module *module,
                        const struct table *old)
{
    for (uint32_t i = 0; i < old->n; i++)
        if (old->modules[i].low == module->low && old->modules[i].high == module->high &&
            old->modules[i].bias == module->bias &&
            old->modules[i].eh_frame_hdr == module->eh_frame_hdr &&
            old->modules[i].generation == agent.generation)
            module->generation = agent.generation;
    if (agent.ring.header && module->generation != agent.generation)
        send(m, header_at, module);
}

static void rebuild_into(struct table *table, const struct table *old)
{
    struct mapping m;
    table->n = 0;
    while (table->n < MODULES_MAX && maps_next(&maps, &m)) {
        struct module *module = &table->modules[table->n];
        bool is_file = m.path[0] == '/' || strcmp(m.path, "[vdso]") == 0;
        if (!m.is_executable || !is_file || !maps.header_at || maps.header_inode != m.inode)
            continue;
        if (!describe(&m, maps.header_at, module))
            continue;
        send_if_new(&m, maps.header_at, module, old);
        table->n++;
    }
}

static void rebuild(void)
{
    if (atomic_exchange_explicit(&is_rebuilding, true, memory_order_acquire))
        return;
    uint32_t now = atomic_load_explicit(&current, memory_order_relaxed);
    struct table *spare = &tables[1 - now];
    /* A reader counts itself in with acq_rel, so that none that we see gone still reads. */
    if (atomic_load_explicit(&spare->readers, memory_order_acquire) == 0 && maps_open(&maps)) {
        atomic_store_explicit(&is_stale, false, memory_order_relaxed);
        rebuild_into(spare, &tables[now]);
        if (maps.fd >= 0)
            close(maps.fd);
        atomic_store_explicit(&current, 1 - now, memory_order_release);
    }
    atomic_store_explicit(&is_rebuilding, false, memory_order_release);
}

static bool look_up(uint64_t address, struct module *found)
{
    struct table *table = &tables[atomic_load_explicit(&current, memory_order_acquire)];
    atomic_fetch_add_explicit(&table->readers, 1, memory_order_acq_rel);
    uint32_t low = 0, high = table->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (table->modules[middle].high <= address)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < table->n && table->modules[low].low <= address;
    if (is_found)
        *found = table->modules[low];
    atomic_fetch_sub_explicit(&table->readers, 1, memory_order_release);
    return is_found;
}

bool modules_find(uint64_t address, struct module *found)
{
    bool is_wrong = atomic_load_explicit(&is_stale, memory_order_relaxed);
    if (!is_wrong && look_up(address, found))
        return true;
    if (!is_wrong && clock_now_ns() < atomic_load_explicit(&next_rebuild_ns, memory_order_relaxed))
        return false;
    rebuild();
    if (look_up(address, found))
        return true;
    atomic_store_explicit(&next_rebuild_ns, clock_now_ns() + REBUILD_EVERY, memory_order_relaxed);
    return false;
}

void modules_send(void)
{
    rebuild();
}

/* What is unloaded may make room for something else. */
AGENT_EXPORT int dlclose(void *handle)
{
    int rc = real_ready()->dlclose(handle);
    atomic_store_explicit(&is_stale, true, memory_order_relaxed);
    return rc;
}

void modules_after_fork(void)
{
    atomic_store_explicit(&tables[0].readers, 0, memory_order_relaxed);
    atomic_store_explicit(&tables[1].readers, 0, memory_order_relaxed);
    atomic_store_explicit(&is_rebuilding, false, memory_order_relaxed);
}
