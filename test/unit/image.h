/* SPDX-License-Identifier: Apache-2.0 */
/* A small ELF file made by hand: IMAGE_FUNCTIONS functions of IMAGE_FUNCTION_BYTES bytes, all of
 * them no-operations until a test writes calls and jumps into them.
 *
 *     0x0000  ELF header, program headers, build-id
 *     0x1000  function 0, function 1, ...
 *     0x3000  .eh_frame_hdr        0x3400  .eh_frame
 *     0x4000  symbols              0x4400  strings       0x4800  hash table
 *     0x4c00  relocations          0x5000  dynamic section
 *     0x5400  global offset table: slot i will point at function i
 *
 * Function i is the dynamic symbol "function_i". */
#ifndef SCALENE_TEST_IMAGE_H
#define SCALENE_TEST_IMAGE_H

#include "symbol/elf.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define IMAGE_BYTES          0x6000
#define IMAGE_FUNCTIONS      16
#define IMAGE_FUNCTION_BYTES 0x200
#define IMAGE_CODE           0x1000u
#define IMAGE_EH_HEADER      0x3000u
#define IMAGE_EH_FRAME       0x3400u
#define IMAGE_SYMBOLS        0x4000u
#define IMAGE_STRINGS        0x4400u
#define IMAGE_HASH           0x4800u
#define IMAGE_RELOCATIONS    0x4c00u
#define IMAGE_DYNAMIC        0x5000u
#define IMAGE_SLOTS          0x5400u
#define IMAGE_NOTE           0x0800u

struct image {
    _Alignas(8) uint8_t bytes[IMAGE_BYTES];
    uint32_t n_strings;
};

static inline uint32_t image_function(unsigned i)
{
    return IMAGE_CODE + i * IMAGE_FUNCTION_BYTES;
}

static inline void image_put(struct image *image, uint32_t at, const void *bytes, size_t n)
{
    memcpy(image->bytes + at, bytes, n);
}

static inline void image_put_u32(struct image *image, uint32_t at, uint32_t value)
{
    image_put(image, at, &value, sizeof value);
}

static inline void image_put_headers(struct image *image)
{
    Elf64_Ehdr header = {.e_machine = EM_X86_64, .e_type = ET_DYN};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 4;
    image_put(image, 0, &header, sizeof header);
    const Elf64_Phdr entries[] = {
        {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = IMAGE_BYTES},
        {.p_type = PT_NOTE, .p_vaddr = IMAGE_NOTE, .p_filesz = 36},
        {.p_type = PT_DYNAMIC, .p_vaddr = IMAGE_DYNAMIC, .p_filesz = 9 * sizeof(Elf64_Dyn)},
        {.p_type = PT_GNU_EH_FRAME, .p_vaddr = IMAGE_EH_HEADER},
    };
    image_put(image, sizeof header, entries, sizeof entries);
    const Elf64_Nhdr note = {4, 20, NT_GNU_BUILD_ID};
    image_put(image, IMAGE_NOTE, &note, sizeof note);
    image_put(image, IMAGE_NOTE + sizeof note, "GNU", 4);
    memset(image->bytes + IMAGE_NOTE + sizeof note + 4, 0xab, 20);
}

static inline void image_put_unwind_tables(struct image *image)
{
    static const uint8_t cie[] = {16,  0, 0, 0,    0,  0, 0,    0, 1, 'z',
                                  'R', 0, 1, 0x78, 16, 1, 0x1b, 0, 0, 0};
    static const uint8_t head[] = {1, 0x1b, 0x03, 0x3b};
    image_put(image, IMAGE_EH_FRAME, cie, sizeof cie);
    image_put(image, IMAGE_EH_HEADER, head, sizeof head);
    image_put_u32(image, IMAGE_EH_HEADER + 8, IMAGE_FUNCTIONS);
    for (uint32_t i = 0; i < IMAGE_FUNCTIONS; i++) {
        uint32_t fde = IMAGE_EH_FRAME + (uint32_t)sizeof cie + 20 * i;
        image_put_u32(image, fde, 16);
        image_put_u32(image, fde + 4, fde + 4 - IMAGE_EH_FRAME);
        image_put_u32(image, fde + 8, image_function(i) - (fde + 8));
        image_put_u32(image, fde + 12, IMAGE_FUNCTION_BYTES);
        image_put_u32(image, IMAGE_EH_HEADER + 12 + 8 * i, image_function(i) - IMAGE_EH_HEADER);
        image_put_u32(image, IMAGE_EH_HEADER + 16 + 8 * i, fde - IMAGE_EH_HEADER);
    }
}

static inline void image_put_symbol(struct image *image, uint32_t i)
{
    char *name = (char *)image->bytes + IMAGE_STRINGS + image->n_strings;
    uint32_t hash = 5381;
    int n = sprintf(name, "function_%u", i);
    for (const char *at = name; *at; at++)
        hash = hash * 33 + (uint8_t)*at;
    Elf64_Sym symbol = {.st_name = image->n_strings, .st_shndx = 1, .st_value = image_function(i)};
    Elf64_Rela relocation = {IMAGE_SLOTS + 8 * i, ELF64_R_INFO((uint64_t)i + 1, R_X86_64_JUMP_SLOT),
                             0};
    image->n_strings += (uint32_t)n + 1;
    image_put(image, IMAGE_SYMBOLS + (i + 1) * (uint32_t)sizeof symbol, &symbol, sizeof symbol);
    image_put(image, IMAGE_RELOCATIONS + i * (uint32_t)sizeof relocation, &relocation,
              sizeof relocation);
    /* One bucket: the chain's last word has bit 0 set. */
    image_put_u32(image, IMAGE_HASH + 28 + 4 * i,
                  (hash & ~1u) | (i == IMAGE_FUNCTIONS - 1 ? 1 : 0));
}

static inline void image_put_dynamic(struct image *image)
{
    image->n_strings = 1;
    for (uint32_t i = 0; i < IMAGE_FUNCTIONS; i++)
        image_put_symbol(image, i);
    const uint32_t hash[] = {1, 1, 1, 0, UINT32_MAX, UINT32_MAX, 1}; /* bucket, first, bloom... */
    image_put(image, IMAGE_HASH, hash, sizeof hash);
    const Elf64_Dyn entries[] = {
        {DT_SYMTAB, {IMAGE_SYMBOLS}},
        {DT_STRTAB, {IMAGE_STRINGS}},
        {DT_STRSZ, {image->n_strings}},
        {DT_JMPREL, {IMAGE_RELOCATIONS}},
        {DT_PLTRELSZ, {IMAGE_FUNCTIONS * sizeof(Elf64_Rela)}},
        {DT_GNU_HASH, {IMAGE_HASH}},
        {DT_NULL, {0}},
    };
    image_put(image, IMAGE_DYNAMIC, entries, sizeof entries);
}

static inline void image_make(struct image *image)
{
    memset(image, 0, sizeof *image);
    memset(image->bytes + IMAGE_CODE, 0x90, IMAGE_FUNCTIONS * IMAGE_FUNCTION_BYTES);
    image_put_headers(image);
    image_put_unwind_tables(image);
    image_put_dynamic(image);
}

/* A direct call (0xe8) or jump (0xe9) at `at`; returns the address after it. */
static inline uint32_t image_branch(struct image *image, uint32_t at, uint8_t opcode, uint32_t to)
{
    image->bytes[at] = opcode;
    image_put_u32(image, at + 1, to - (at + 5));
    return at + 5;
}

/* call *displacement(%rax) at `at`; returns the address after it. */
static inline uint32_t image_call_pointer(struct image *image, uint32_t at, uint8_t displacement)
{
    const uint8_t bytes[] = {0xff, 0x50, displacement};
    image_put(image, at, bytes, sizeof bytes);
    return at + 3;
}

/* A stub, jmp *slot(%rip), to a function through its slot. */
static inline void image_stub(struct image *image, uint32_t at, unsigned function)
{
    image->bytes[at] = 0xff;
    image->bytes[at + 1] = 0x25;
    image_put_u32(image, at + 2, IMAGE_SLOTS + 8 * function - (at + 6));
}

#endif
