/* SPDX-License-Identifier: Apache-2.0 */
/* Reads .eh_frame (DWARF call frame information) in place: finds the entry of a function through
 * the sorted table of .eh_frame_hdr, runs its little program up to the PC, and keeps the outcome in
 * a cache, for the same PCs come again and again.
 *
 * Synchronization: a cache entry is two words, the second the row, the first the PC mixed with it.
 * A reader that meets half of a write finds that they do not fit together and works it out anew. */
#include "agent/cfi.h"

#include "agent/peek.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "agent/safe.h"

#define CACHE_ENTRIES 8192u
#define STATES_KEPT   4 /* nesting of remember_state; compilers use one */
#define STEPS_MAX     4096

/* ---- finding the entry ---- */

/* A function's entry (FDE) and what its common part (CIE) says. */
struct entry {
    uint64_t low, high;         /* the function */
    struct peek_reader initial; /* instructions of the CIE */
    struct peek_reader program; /* instructions of the FDE */
    uint64_t code_align;
    int64_t data_align;
};

static uint64_t entry_address(const struct module *m, uint64_t pc)
{
    uint64_t table = m->eh_frame_hdr + 12;
    uint32_t low = 0, high = m->n_functions, word;
    while (low < high) { /* the first function that begins behind pc */
        uint32_t middle = low + (high - low) / 2;
        if (!peek_u32(table + 8 * (uint64_t)middle, &word))
            return 0;
        if (m->eh_frame_hdr + (uint64_t)(int64_t)(int32_t)word <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || !peek_u32(table + 8 * (uint64_t)(low - 1) + 4, &word))
        return 0;
    return m->eh_frame_hdr + (uint64_t)(int64_t)(int32_t)word;
}

/* Pointer encodings in use: 4 or 8 bytes, signed or not, absolute or relative to their place. */
static uint64_t read_pointer(struct peek_reader *r, uint8_t encoding)
{
    uint64_t at = r->at, value;
    switch (encoding & 0x0f) {
    case 0x0b:
        value = (uint64_t)(int64_t)(int32_t)peek_next(r, 4);
        break;
    case 0x03:
        value = peek_next(r, 4);
        break;
    default:
        value = peek_next(r, 8);
    }
    return (encoding & 0x70) == 0x10 ? at + value : value;
}

static bool read_common(uint64_t at, struct entry *entry, uint8_t *encoding, bool *has_data)
{
    uint32_t length;
    char augmentation[8];
    unsigned n = 0;
    if (!peek_u32(at, &length) || length == 0 || length == 0xffffffff)
        return false;
    struct peek_reader r = peek_reader(at + 9, at + 4 + length); /* behind id and version */
    while (n < sizeof augmentation && (augmentation[n] = (char)peek_next_u8(&r)))
        n++;
    if (n == sizeof augmentation)
        return false;
    entry->code_align = peek_next_uleb(&r);
    entry->data_align = peek_next_sleb(&r);
    peek_next_uleb(&r); /* the return address register */
    *encoding = 0;
    *has_data = augmentation[0] == 'z';
    if (*has_data) {
        uint64_t n_data = peek_next_uleb(&r), end = r.at + n_data;
        for (unsigned i = 1; i < n; i++)
            if (augmentation[i] == 'R')
                *encoding = peek_next_u8(&r);
            else if (augmentation[i] == 'L')
                peek_next_u8(&r);
            else if (augmentation[i] == 'P')
                read_pointer(&r, peek_next_u8(&r));
        r.at = end;
    }
    entry->initial = r;
    return !r.has_failed;
}

static bool read_entry(const struct module *m, uint64_t pc, struct entry *entry)
{
    uint32_t length, back;
    uint8_t encoding;
    bool has_data;
    uint64_t at = m->eh_frame_hdr ? entry_address(m, pc) : 0;
    if (!at || !peek_u32(at, &length) || length == 0 || length == 0xffffffff ||
        !peek_u32(at + 4, &back) || !read_common(at + 4 - back, entry, &encoding, &has_data))
        return false;
    struct peek_reader r = peek_reader(at + 8, at + 4 + length);
    entry->low = read_pointer(&r, encoding);
    entry->high = entry->low + read_pointer(&r, encoding & 0x0f);
    if (has_data) {
        uint64_t n_data = peek_next_uleb(&r);
        r.at += n_data;
    }
    entry->program = r;
    return !r.has_failed && pc >= entry->low && pc < entry->high;
}

bool cfi_function(const struct module *module, uint64_t pc, uint64_t *low, uint64_t *high)
{
    struct entry entry;
    if (!read_entry(module, pc, &entry))
        return false;
    *low = entry.low;
    *high = entry.high;
    return true;
}

/* ---- running its program ---- */

/* DWARF's numbers of the registers we follow, in the order of enum cfi_register. */
static const uint8_t dwarf_number[CFI_REGISTERS] = {3, 6, 12, 13, 14, 15};
static const struct {
    uint8_t number;
    enum cfi_base base;
} dwarf_bases[] = {{7, CFI_BASE_RSP},  {6, CFI_BASE_RBP},  {3, CFI_BASE_RBX}, {12, CFI_BASE_R12},
                   {13, CFI_BASE_R13}, {14, CFI_BASE_R14}, {15, CFI_BASE_R15}};

struct machine {
    struct cfi_row row, initial, kept[STATES_KEPT];
    unsigned n_kept;
    uint64_t location, pc;
    const struct entry *entry;
    bool has_failed;
};

static enum cfi_base base_of(uint64_t number)
{
    for (size_t i = 0; i < sizeof dwarf_bases / sizeof *dwarf_bases; i++)
        if (dwarf_bases[i].number == number)
            return dwarf_bases[i].base;
    return CFI_NO_RULE;
}

/* A register saved at the frame's address + offset bytes. */
static void set_saved(struct machine *m, uint64_t number, int64_t offset)
{
    for (int i = 0; i < CFI_REGISTERS; i++) {
        if (dwarf_number[i] != number)
            continue;
        if (offset % 8 != 0 || offset >= 0 || offset < -8 * 255)
            m->has_failed = true;
        else
            m->row.saved[i] = (uint8_t)(-offset / 8);
    }
}

static void set_unsaved(struct machine *m, uint64_t number, bool is_restored)
{
    for (int i = 0; i < CFI_REGISTERS; i++)
        if (dwarf_number[i] == number)
            m->row.saved[i] = is_restored ? m->initial.saved[i] : 0;
}

/* The one expression in use for a frame's address: that of the linkage table, where the PC's place
 * within its 16 byte stub tells whether the stub has pushed. */
static void set_base_expression(struct machine *m, struct peek_reader *r)
{
    static const uint8_t plt[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    uint64_t n = peek_next_uleb(r), end = r->at + n;
    bool is_plt = n == sizeof plt;
    for (size_t i = 0; is_plt && i < sizeof plt; i++)
        is_plt = peek_next_u8(r) == plt[i];
    m->row.base = is_plt ? CFI_BASE_PLT : CFI_NO_RULE;
    r->at = end;
}

static void skip_expression(struct peek_reader *r)
{
    uint64_t n = peek_next_uleb(r);
    r->at += n;
}

static void advance(struct machine *m, uint64_t n)
{
    m->location += n * m->entry->code_align;
}

/* The instructions whose number is a whole byte. */
static void step_extended(struct machine *m, struct peek_reader *r, uint8_t op)
{
    uint64_t number;
    int64_t align = m->entry->data_align;
    switch (op) {
    case 0x00: /* nop */
        break;
    case 0x02:
    case 0x03:
    case 0x04: /* advance_loc 1, 2, 4 */
        advance(m, peek_next(r, 1u << (op - 2)));
        break;
    case 0x05: /* offset_extended */
        number = peek_next_uleb(r);
        set_saved(m, number, (int64_t)peek_next_uleb(r) * align);
        break;
    case 0x11: /* offset_extended_sf */
        number = peek_next_uleb(r);
        set_saved(m, number, peek_next_sleb(r) * align);
        break;
    case 0x06: /* restore_extended */
        set_unsaved(m, peek_next_uleb(r), true);
        break;
    case 0x07:
    case 0x08: /* undefined, same_value */
        set_unsaved(m, peek_next_uleb(r), false);
        break;
    case 0x09: /* register */
        peek_next_uleb(r);
        peek_next_uleb(r);
        break;
    case 0x0a: /* remember_state */
        if (m->n_kept < STATES_KEPT)
            m->kept[m->n_kept++] = m->row;
        else
            m->has_failed = true;
        break;
    case 0x0b: /* restore_state */
        if (m->n_kept)
            m->row = m->kept[--m->n_kept];
        else
            m->has_failed = true;
        break;
    case 0x0c: /* def_cfa */
        m->row.base = base_of(peek_next_uleb(r));
        m->row.offset = (int32_t)peek_next_uleb(r);
        break;
    case 0x12: /* def_cfa_sf */
        m->row.base = base_of(peek_next_uleb(r));
        m->row.offset = (int32_t)(peek_next_sleb(r) * align);
        break;
    case 0x0d: /* def_cfa_register */
        m->row.base = base_of(peek_next_uleb(r));
        break;
    case 0x0e: /* def_cfa_offset */
        m->row.offset = (int32_t)peek_next_uleb(r);
        break;
    case 0x13: /* def_cfa_offset_sf */
        m->row.offset = (int32_t)(peek_next_sleb(r) * align);
        break;
    case 0x0f: /* def_cfa_expression */
        set_base_expression(m, r);
        break;
    case 0x10:
    case 0x16: /* expression, val_expression of a register: only signal frames have them */
        peek_next_uleb(r);
        skip_expression(r);
        break;
    case 0x2e: /* GNU_args_size */
        peek_next_uleb(r);
        break;
    default:
        m->has_failed = true;
    }
}

static void run(struct machine *m, struct peek_reader r)
{
    for (int i = 0; i < STEPS_MAX && r.at < r.end && !r.has_failed && !m->has_failed; i++) {
        uint8_t op = peek_next_u8(&r), low = op & 0x3f;
        if (op >> 6 == 1)
            advance(m, low);
        else if (op >> 6 == 2)
            set_saved(m, low, (int64_t)peek_next_uleb(&r) * m->entry->data_align);
        else if (op >> 6 == 3)
            set_unsaved(m, low, true);
        else
            step_extended(m, &r, op);
        if (m->location > m->pc)
            return;
    }
    m->has_failed |= r.has_failed || r.at < r.end;
}

static struct cfi_row work_out(const struct module *module, uint64_t pc)
{
    struct entry entry;
    struct cfi_row none = {0};
    if (!read_entry(module, pc, &entry))
        return none;
    struct machine m = {.pc = pc, .entry = &entry};
    run(&m, entry.initial);
    m.initial = m.row;
    m.location = entry.low;
    run(&m, entry.program);
    return m.has_failed ? none : m.row;
}

/* ---- the cache ---- */

struct cached {
    _Atomic uint64_t mixed; /* pc ^ row */
    _Atomic uint64_t row;
};
static struct cached cache[CACHE_ENTRIES];

/*  63      60 59                     32 31    28 27 24         4 3  0
 *  +---------+-------------------------+--------+------ - - ----+----+
 *  | base    | offset, 28 bits         | unused | saved[5] ...  | [0]|
 *  +---------+-------------------------+--------+------ - - ----+----+
 * A row that does not fit is not kept. */
static bool pack(const struct cfi_row *row, uint64_t *packed)
{
    if (row->offset < 0 || row->offset >= 1 << 28)
        return false;
    *packed = (uint64_t)row->base << 60 | (uint64_t)row->offset << 32;
    for (int i = 0; i < CFI_REGISTERS; i++) {
        if (row->saved[i] > 15)
            return false;
        *packed |= (uint64_t)row->saved[i] << 4 * i;
    }
    return true;
}

static struct cfi_row unpack(uint64_t packed)
{
    struct cfi_row row = {.base = (enum cfi_base)(packed >> 60),
                          .offset = (int32_t)(packed >> 32 & 0x0fffffff)};
    for (int i = 0; i < CFI_REGISTERS; i++)
        row.saved[i] = packed >> 4 * i & 15;
    return row;
}

struct cfi_row cfi_find(const struct module *module, uint64_t pc)
{
    struct cached *slot = &cache[pc * 0x9e3779b97f4a7c15ull >> 51];
    uint64_t packed = atomic_load_explicit(&slot->row, memory_order_relaxed);
    if (packed && (atomic_load_explicit(&slot->mixed, memory_order_relaxed) ^ packed) == pc)
        return unpack(packed);
    struct cfi_row row = work_out(module, pc);
    if (row.base != CFI_NO_RULE && pack(&row, &packed)) {
        atomic_store_explicit(&slot->mixed, pc ^ packed, memory_order_relaxed);
        atomic_store_explicit(&slot->row, packed, memory_order_relaxed);
    }
    return row;
}
