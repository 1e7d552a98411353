/* SPDX-License-Identifier: Apache-2.0 */
/* Global offset tables, patched.
 *
 * A module calls functions of others through slots that the dynamic linker fills in. Each slot has
 * a relocation that names its function: where that is one of ours and the slot holds the one it
 * stands in front of, or has not been bound yet, ours is written there. A slot that holds anything
 * else (a library with an allocator of its own) is left alone, and so is whatever a module calls
 * directly.
 *
 * Modules that are loaded later are found at the next dlsym: a program that loads one looks up
 * something in it before it calls it. dlopen itself must not be wrapped, for it goes by its caller.
 *
 * Synchronization: one thread at a time patches (`is_patching`); slots are words that others read
 * while they are written, and both values are right. This file runs in no handler. */
#include "agent/got.h"

#include "agent/agent.h"
#include "agent/new.h"
#include "agent/real.h"

#include <assert.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MODULES_MAX 4096

/* The functions that allocate and copy come first: they are left alone where memory is not asked
 * for. */
static const char *const names[] = {
    "malloc",
    "calloc",
    "realloc",
    "free",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
    "valloc",
    "pvalloc",
    "reallocarray",
    "free_sized",
    "free_aligned_sized",
    "mmap",
    "mmap64",
    "mremap",
    "munmap",
    "memcpy",
    "memmove",
    "mempcpy",
    "__mempcpy",
    "bcopy",
    "memccpy",
    "wmemcpy",
    "wmemmove",
    "wmempcpy",
    "strcpy",
    "stpcpy",
    "__stpcpy",
    "strcat",
    "strncpy",
    "stpncpy",
    "strncat",
    "wcscpy",
    "wcpcpy",
    "wcscat",
    "__memcpy_chk",
    "__memmove_chk",
    "__mempcpy_chk",
    "__strcpy_chk",
    "__stpcpy_chk",
    "__strcat_chk",
    "__strncpy_chk",
    "__stpncpy_chk",
    "__strncat_chk",
    "sigaction",
    "signal",
    "sysv_signal",
    "sigprocmask",
    "pthread_sigmask",
    "sigwait",
    "sigwaitinfo",
    "sigtimedwait",
    "signalfd",
    "pthread_create",
    "dlclose",
    "_exit",
    "_Exit",
    "execve",
    "execv",
    "execvp",
    "execvpe",
    "execl",
    "execlp",
    "execle",
    "fexecve",
    "execveat",
    "posix_spawn",
    "posix_spawnp",
    "system",
    "popen",
    "dlsym",
};
#define N_NAMES  (sizeof names / sizeof *names)
#define N_MEMORY 44u

/* What stands in front of a function: our own, and the module that has the real one. */
struct hook {
    uint64_t ours, real;
    const void *home;
};
static struct hook hooks[N_NAMES];
static_assert(N_NAMES == N_MEMORY + 27, "which names are those of memory");
static struct hook operators[NEW_HOOKS_MAX]; /* by number in new_hooks; another allocator's */
static bool has_operators;

/* The module a pass is at, from its dynamic section. */
struct module_tables {
    uint64_t base, low, high; /* addresses [low, high) */
    uint64_t relro_low, relro_high;
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * relocations[2]; /* of data, of the procedure linkage table */
    size_t n_relocations[2];
};

/* ---- one slot ---- */

static uint64_t page_of(uint64_t address)
{
    return address & ~UINT64_C(4095);
}

/* By the bare system call: our own mmap hooks have nothing to say to this. */
static bool protect(uint64_t address, int protection)
{
    return syscall(SYS_mprotect, page_of(address), 4096, protection) == 0;
}

static void write_slot(const struct module_tables *m, uint64_t at, uint64_t value)
{
    bool is_relro = at >= m->relro_low && at < m->relro_high;
    if (is_relro && !protect(at, PROT_READ | PROT_WRITE))
        return;
    /* Relaxed: both values are right. */
    __atomic_store_n((uint64_t *)(uintptr_t)at, value, __ATOMIC_RELAXED);
    if (is_relro)
        protect(at, PROT_READ);
}

/* Functions of several versions (memcpy) have other addresses than the one we know: what counts is
 * where they live. */
static bool is_replaceable(const struct module_tables *m, const struct hook *hook, uint64_t value,
                           bool is_lazy)
{
    Dl_info info;
    if (value == hook->real)
        return true;
    if (value >= m->low && value < m->high)
        return is_lazy; /* not bound yet: it points to the code that binds it */
    return dladdr((void *)(uintptr_t)value, &info) && info.dli_fbase == hook->home;
}

static const struct hook *hook_of(const char *name)
{
    for (size_t i = 0; i < N_NAMES; i++)
        if (hooks[i].ours && strcmp(name, names[i]) == 0)
            return &hooks[i];
    bool is_operator =
        has_operators && (strncmp(name, "_Zn", 3) == 0 || strncmp(name, "_Zd", 3) == 0);
    for (size_t i = 0; is_operator && i < new_n_hooks; i++)
        if (operators[i].ours && strcmp(name, new_hooks[i].name) == 0)
            return &operators[i];
    return NULL;
}

static void patch_slot(const struct module_tables *m, const ElfW(Rela) * relocation)
{
    unsigned type = ELF64_R_TYPE(relocation->r_info);
    size_t number = ELF64_R_SYM(relocation->r_info);
    if (number == 0 ||
        (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64))
        return;
    const ElfW(Sym) *symbol = &m->symbols[number];
    const char *name = m->strings + symbol->st_name;
    uint64_t at = m->base + relocation->r_offset;
    if (at < m->low || at + 8 > m->high)
        return;
    const struct hook *hook = hook_of(name);
    if (!hook)
        return;
    bool is_lazy = type == R_X86_64_JUMP_SLOT && symbol->st_shndx == SHN_UNDEF;
    uint64_t value = *(const uint64_t *)(uintptr_t)at;
    if (value != hook->ours && is_replaceable(m, hook, value, is_lazy))
        write_slot(m, at, hook->ours);
}

/* ---- one module ---- */

/* Addresses in a dynamic section are absolute once the module is bound, except in the vdso. */
static void read_dynamic(struct module_tables *m, const ElfW(Dyn) * entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *at = (const void *)entry->d_un.d_ptr;
        size_t n = entry->d_un.d_val / sizeof(ElfW(Rela));
        if (entry->d_tag == DT_SYMTAB)
            m->symbols = at;
        else if (entry->d_tag == DT_STRTAB)
            m->strings = at;
        else if (entry->d_tag == DT_RELA)
            m->relocations[0] = at;
        else if (entry->d_tag == DT_RELASZ)
            m->n_relocations[0] = n;
        else if (entry->d_tag == DT_JMPREL)
            m->relocations[1] = at;
        else if (entry->d_tag == DT_PLTRELSZ)
            m->n_relocations[1] = n;
    }
}

static bool is_inside(const struct module_tables *m, const void *at)
{
    return (uint64_t)(uintptr_t)at >= m->low && (uint64_t)(uintptr_t)at < m->high;
}

static struct module_tables tables_of(const struct dl_phdr_info *info)
{
    struct module_tables m = {.base = info->dlpi_addr, .low = UINT64_MAX};
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t low = m.base + p->p_vaddr, high = low + p->p_memsz;
        if (p->p_type == PT_LOAD) {
            m.low = page_of(low) < m.low ? page_of(low) : m.low;
            m.high = high > m.high ? high : m.high;
        } else if (p->p_type == PT_GNU_RELRO) {
            m.relro_low = page_of(low);
            m.relro_high = page_of(high); /* as the dynamic linker rounds it */
        } else if (p->p_type == PT_DYNAMIC) {
            dynamic = (const ElfW(Dyn) *)(uintptr_t)low;
        }
    }
    if (dynamic)
        read_dynamic(&m, dynamic);
    return m;
}

static void patch_module(const struct dl_phdr_info *info)
{
    struct module_tables m = tables_of(info);
    /* Neither we ourselves, nor what is no ordinary module. */
    if (is_inside(&m, hooks) || !is_inside(&m, m.symbols) || !is_inside(&m, m.strings))
        return;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; is_inside(&m, m.relocations[k]) && i < m.n_relocations[k]; i++)
            patch_slot(&m, &m.relocations[k][i]);
}

/* ---- all modules ---- */

static _Atomic bool is_patching;
static _Atomic uint64_t n_added, n_removed; /* by the dynamic linker, as of the last pass */
static uint64_t patched[MODULES_MAX];       /* where the modules lie that were patched */
static size_t n_patched;

static bool is_patched(uint64_t headers)
{
    for (size_t i = 0; i < n_patched; i++)
        if (patched[i] == headers)
            return true;
    return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    uint64_t headers = (uint64_t)(uintptr_t)info->dlpi_phdr;
    if (atomic_load_explicit(&n_removed, memory_order_relaxed) != info->dlpi_subs)
        n_patched = 0; /* another module may lie where one was */
    atomic_store_explicit(&n_removed, info->dlpi_subs, memory_order_relaxed);
    atomic_store_explicit(&n_added, info->dlpi_adds, memory_order_relaxed);
    if (!is_patched(headers)) {
        patch_module(info);
        if (n_patched < MODULES_MAX)
            patched[n_patched++] = headers;
    }
    return 0;
}

static int ask_counts(struct dl_phdr_info *info, size_t size, void *is_new)
{
    (void)size;
    *(bool *)is_new = info->dlpi_adds != atomic_load_explicit(&n_added, memory_order_relaxed);
    return 1;
}

void got_refresh(void);
void got_refresh(void)
{
    bool is_new = false;
    dl_iterate_phdr(ask_counts, &is_new);
    if (!is_new || atomic_exchange_explicit(&is_patching, true, memory_order_acquire))
        return;
    dl_iterate_phdr(visit, NULL);
    atomic_store_explicit(&is_patching, false, memory_order_release);
}

/* dlsym goes by its caller, too (RTLD_NEXT): so this one goes on there by a jump, as if it had
 * never been in between. */
extern void *(*got_real_dlsym)(void *, const char *);
void *(*got_real_dlsym)(void *, const char *)__attribute__((visibility("hidden")));
extern char got_dlsym[] __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
        ".hidden got_dlsym\n"
        ".globl got_dlsym\n"
        ".type got_dlsym, @function\n"
        "got_dlsym:\n"
        "    push %rdi\n"
        "    push %rsi\n"
        "    sub $8, %rsp\n" /* calls want the stack at a multiple of 16 */
        "    call got_refresh\n"
        "    add $8, %rsp\n"
        "    pop %rsi\n"
        "    pop %rdi\n"
        "    jmp *got_real_dlsym(%rip)\n"
        ".size got_dlsym, . - got_dlsym\n"
        ".popsection\n");

static void find_hook(void *self, size_t i)
{
    Dl_info us, found_in, real_in;
    bool is_dlsym = strcmp(names[i], "dlsym") == 0;
    void *found = is_dlsym ? got_dlsym : dlsym(self, names[i]);
    void *behind = real_symbol(names[i]);
    if (!found || !behind || !dladdr((void *)hooks, &us) || !dladdr(found, &found_in) ||
        !dladdr(behind, &real_in))
        return;
    /* The library that leaves memory alone has no malloc: what was found is the libc's own. */
    if (found_in.dli_fbase != us.dli_fbase)
        return;
    hooks[i] = (struct hook){.ours = (uint64_t)(uintptr_t)found,
                             .real = (uint64_t)(uintptr_t)behind,
                             .home = real_in.dli_fbase};
    if (is_dlsym)
        *(void **)&got_real_dlsym = behind;
}

/* Those that live where malloc does: the ordinary ones are the C++ library's, and call malloc. */
static void find_operators(void)
{
    Dl_info allocator, found;
    void *malloc = real_symbol("malloc");
    if (!malloc || !dladdr(malloc, &allocator))
        return;
    for (size_t i = 0; i < new_n_hooks; i++) {
        void *behind = real_symbol(new_hooks[i].name);
        if (!behind || !dladdr(behind, &found) || found.dli_fbase != allocator.dli_fbase)
            continue;
        *new_hooks[i].real = behind;
        operators[i] = (struct hook){.ours = (uint64_t)(uintptr_t)new_hooks[i].ours,
                                     .real = (uint64_t)(uintptr_t)behind,
                                     .home = found.dli_fbase};
        has_operators = true;
    }
}

void got_start_operators(void)
{
    if (has_operators || atomic_exchange_explicit(&is_patching, true, memory_order_acquire))
        return;
    find_operators();
    if (has_operators) {
        find_hook(NULL, N_NAMES - 1); /* dlsym, for modules to come */
        n_patched = 0;                /* every module once more */
        dl_iterate_phdr(visit, NULL);
    }
    atomic_store_explicit(&is_patching, false, memory_order_release);
}

bool got_start(bool has_memory)
{
    static size_t n_left = N_NAMES; /* names before this one are not looked for yet */
    size_t first = has_memory ? 0 : N_MEMORY;
    Dl_info info;
    void *self =
        dladdr((void *)hooks, &info) ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (!self)
        return false;
    if (first < n_left && !atomic_exchange_explicit(&is_patching, true, memory_order_acquire)) {
        for (size_t i = first; i < n_left; i++)
            find_hook(self, i);
        n_left = first;
        n_patched = 0; /* every module once more */
        dl_iterate_phdr(visit, NULL);
        atomic_store_explicit(&is_patching, false, memory_order_release);
    }
    dlclose(self);
    got_refresh();
    return true;
}
