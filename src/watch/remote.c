/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/remote.h"

#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define PAGE 4096u

void remote_init(struct remote *remote, pid_t pid)
{
    *remote = (struct remote){.pid = pid};
    remote->pages = xrealloc(NULL, REMOTE_PAGES * sizeof *remote->pages);
}

void remote_fini(struct remote *remote)
{
    free(remote->pages);
    remote->pages = NULL;
}

void remote_try(struct remote *remote, uint64_t address)
{
    uint64_t word;
    struct iovec here = {&word, sizeof word};
    struct iovec there = {(void *)(uintptr_t)address, sizeof word};
    remote->is_refused = process_vm_readv(remote->pid, &here, 1, &there, 1, 0) < 0 &&
                         (errno == EPERM || errno == ENOSYS);
}

/* Copies pages from the addresses noted for the slots from `first` on; returns how many came. What
 * cannot be read ends it. */
static unsigned fetch(struct remote *r, unsigned first, unsigned n)
{
    struct iovec here = {r->pages[first], (size_t)n * PAGE}, there[REMOTE_PAGES];
    for (unsigned i = 0; i < n; i++)
        there[i] = (struct iovec){(void *)(uintptr_t)r->addresses[first + i], PAGE};
    ssize_t n_bytes = r->is_refused ? 0 : process_vm_readv(r->pid, &here, 1, there, n, 0);
    if (n_bytes < 0)
        r->is_refused = errno == EPERM || errno == ENOSYS;
    return n_bytes < 0 ? 0 : (unsigned)((size_t)n_bytes / PAGE);
}

void remote_begin(struct remote *remote, const struct remote_pages *expected)
{
    remote->n = remote->next = 0;
    if (!expected || expected->n == 0)
        return;
    for (unsigned i = 0; i < expected->n; i++) {
        remote->addresses[i] = expected->addresses[i];
        remote->is_used[i] = false;
    }
    remote->n = fetch(remote, 0, expected->n);
    remote->next = remote->n % REMOTE_PAGES;
}

void remote_end(const struct remote *remote, struct remote_pages *used)
{
    used->n = 0;
    for (unsigned i = 0; i < remote->n; i++)
        if (remote->is_used[i])
            used->addresses[used->n++] = remote->addresses[i];
}

static const unsigned char *page_at(struct remote *r, uint64_t address)
{
    for (unsigned i = 0; i < r->n; i++)
        if (r->addresses[i] == address) {
            r->is_used[i] = true;
            return r->pages[i];
        }
    unsigned slot = r->next;
    r->addresses[slot] = address;
    if (fetch(r, slot, 1) != 1) {
        r->addresses[slot] = 1; /* no page begins there */
        return NULL;
    }
    r->is_used[slot] = true;
    r->next = (slot + 1) % REMOTE_PAGES;
    r->n = r->n < REMOTE_PAGES ? r->n + 1 : r->n;
    return r->pages[slot];
}

bool remote_read(struct remote *remote, uint64_t address, void *out, size_t n_bytes)
{
    unsigned char *to = out;
    while (n_bytes) {
        uint64_t skip = address % PAGE;
        size_t n = PAGE - skip < n_bytes ? PAGE - skip : n_bytes;
        const unsigned char *page = page_at(remote, address - skip);
        if (!page)
            return false;
        memcpy(to, page + skip, n);
        to += n;
        address += n;
        n_bytes -= n;
    }
    return true;
}

static bool read_memory(void *context, uint64_t address, void *out, size_t n_bytes)
{
    return remote_read(context, address, out, n_bytes);
}

struct memory remote_memory(struct remote *remote)
{
    return (struct memory){.read = read_memory, .context = remote};
}
