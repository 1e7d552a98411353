/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the relocations of the global offset table and decodes the stubs that jump through it. */
#include "symbol/plt.h"

#include "base/vec.h"
#include "symbol/reference.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef vec_of(struct elf_slot) slot_list;

/* The value of a dynamic symbol that this file defines; 0: it does not. */
static uint64_t symbol_value(const struct elf_image *image, uint64_t index)
{
    Elf64_Sym symbol;
    const uint8_t *entry =
        elf_bytes(image, image->dynamic.symbols + sizeof symbol * index, sizeof symbol);
    if (!entry)
        return 0;
    memcpy(&symbol, entry, sizeof symbol);
    return symbol.st_shndx == SHN_UNDEF ? 0 : symbol.st_value;
}

static uint64_t relocation_target(const struct elf_image *image, const Elf64_Rela *relocation)
{
    uint64_t index = ELF64_R_SYM(relocation->r_info);
    switch (ELF64_R_TYPE(relocation->r_info)) {
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_GLOB_DAT:
        return symbol_value(image, index);
    case R_X86_64_RELATIVE:
        return (uint64_t)relocation->r_addend;
    default:
        return 0;
    }
}

static void read_relocations(const struct elf_image *image, uint64_t address, uint64_t n_bytes,
                             slot_list *slots)
{
    uint64_t n = n_bytes / sizeof(Elf64_Rela);
    const uint8_t *at = address ? elf_bytes(image, address, n * sizeof(Elf64_Rela)) : NULL;
    for (uint64_t i = 0; at && i < n; i++, at += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        memcpy(&relocation, at, sizeof relocation);
        uint64_t target = relocation_target(image, &relocation);
        if (elf_code(image, target, 1))
            *vec_push(slots) = (struct elf_slot){relocation.r_offset, target};
    }
}

static int by_slot(const void *left, const void *right)
{
    const struct elf_slot *a = left, *b = right;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

void plt_read_slots(struct elf_image *image)
{
    const struct elf_dynamic *dynamic = &image->dynamic;
    slot_list slots = {0};
    read_relocations(image, dynamic->relocations, dynamic->relocations_bytes, &slots);
    read_relocations(image, dynamic->plt_relocations, dynamic->plt_relocations_bytes, &slots);
    if (slots.n)
        qsort(slots.items, slots.n, sizeof *slots.items, by_slot);
    image->slots = slots.items;
    image->n_slots = slots.n;
}

uint64_t plt_slot_target(const struct elf_image *image, uint64_t slot)
{
    struct elf_slot key = {.slot = slot};
    if (!image->n_slots)
        return 0;
    const struct elf_slot *found = bsearch(&key, image->slots, image->n_slots, sizeof key, by_slot);
    return found ? found->target : 0;
}

/* A stub is `jmp *slot(%rip)`, with endbr64 and a bnd prefix before it in some builds. */
static const uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
#define BND_PREFIX 0xf2
#define JUMP_BYTES 6
/* The offset table has one or two; tables of function pointers are not jumped through. */
#define SLOTS_OF_ONE 8

static bool is_jump_through_slot(const uint8_t *bytes)
{
    return bytes[0] == 0xff && bytes[1] == 0x25;
}

uint64_t plt_target(const struct elf_image *image, uint64_t address)
{
    uint64_t at = address;
    const uint8_t *bytes = elf_code(image, at, sizeof endbr64 + 1 + JUMP_BYTES);
    if (!bytes)
        return address;
    if (memcmp(bytes, endbr64, sizeof endbr64) == 0) {
        at += sizeof endbr64;
        bytes += sizeof endbr64;
    }
    if (*bytes == BND_PREFIX) {
        at++;
        bytes++;
    }
    if (!is_jump_through_slot(bytes))
        return address;
    return plt_slot_target(image, at + JUMP_BYTES + elf_displacement(bytes + 2));
}

/* Where the stub begins whose jump stands at an address. */
static uint64_t stub_start(const struct elf_image *image, uint64_t jump)
{
    const uint8_t *before = elf_code(image, jump - 1, 1);
    uint64_t start = before && *before == BND_PREFIX ? jump - 1 : jump;
    const uint8_t *mark = elf_code(image, start - sizeof endbr64, sizeof endbr64);
    return mark && memcmp(mark, endbr64, sizeof endbr64) == 0 ? start - sizeof endbr64 : start;
}

/* The slots that point at a function. */
static size_t slots_of(const struct elf_image *image, uint64_t function, uint64_t *slots,
                       size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < image->n_slots && n < room; i++)
        if (image->slots[i].target == function)
            slots[n++] = image->slots[i].slot;
    return n;
}

size_t plt_stubs(const struct elf_image *image, uint64_t function, uint64_t *stubs, size_t room)
{
    uint64_t slots[SLOTS_OF_ONE];
    size_t n = 0, n_slots = slots_of(image, function, slots, SLOTS_OF_ONE);
    for (size_t i = 0; i < image->n_segments && n_slots; i++) {
        struct elf_range range = image->segments[i].at;
        struct reference_scan scan = {.image = image,
                                      .range = range,
                                      .at = range.low,
                                      .targets = slots,
                                      .n_targets = n_slots};
        while (n < room && image->segments[i].is_executable && reference_next(&scan)) {
            const uint8_t *jump = elf_code(image, scan.at - 2, JUMP_BYTES);
            if (jump && is_jump_through_slot(jump))
                stubs[n++] = stub_start(image, scan.at - 2);
        }
    }
    return n;
}
