/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file of an x86-64 program or library, mapped for reading.
 *
 * Nothing in the file is believed: every address and offset is checked against the file before it
 * is followed, so a damaged file gives wrong answers but never a fault. Addresses in here are
 * virtual addresses of the file; a run-time address is one of these plus the module's bias. */
#ifndef SCALENE_SYMBOL_ELF_H
#define SCALENE_SYMBOL_ELF_H

#include "base/arena.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_SEGMENTS       32
#define ELF_BUILD_ID_BYTES 20

/* [low, high) */
struct elf_range {
    uint64_t low, high;
};

struct elf_segment {
    struct elf_range at; /* only the part that lies in the file */
    uint64_t offset;     /* where it begins in the file */
    bool is_executable;
};

/* A slot of the global offset table and the function of this same file it will point at. */
struct elf_slot {
    uint64_t slot, target;
};

/* What the dynamic section says, as virtual addresses; 0: not there. */
struct elf_dynamic {
    uint64_t symbols, strings, strings_bytes;
    uint64_t relocations, relocations_bytes;
    uint64_t plt_relocations, plt_relocations_bytes;
    uint64_t gnu_hash;
};

struct elf_image {
    const uint8_t *file; /* owns the mapping */
    size_t n_file;
    struct elf_segment segments[ELF_SEGMENTS];
    size_t n_segments;
    struct elf_range text; /* around all executable segments */
    struct elf_dynamic dynamic;
    uint64_t eh_frame_header; /* 0: none */
    uint8_t build_id[ELF_BUILD_ID_BYTES];
    size_t n_build_id;
    struct elf_slot *slots; /* owns; by address */
    size_t n_slots;
};

/* Every file is opened once. Zero-initialise. */
struct elf_cache {
    struct map by_path; /* path -> index into images, plus one */
    struct {
        struct elf_image **items; /* NULL: could not be opened */
        size_t n, room;
    } images;
};

/* The image of a file, borrowed from the cache; NULL when it cannot be read, is no such ELF file,
 * or has another build-id than the one asked for (n_build_id 0: any will do). */
const struct elf_image *elf_open(struct elf_cache *cache, const char *path, const uint8_t *build_id,
                                 size_t n_build_id);
void elf_cache_fini(struct elf_cache *cache);

/* An image of bytes the caller keeps, for tests and fuzzers: false when they are no ELF file. */
bool elf_parse(struct elf_image *image, const uint8_t *file, size_t n_file);
/* Frees what elf_parse made, not the bytes. */
void elf_fini(struct elf_image *image);

/* n bytes at a virtual address, NULL unless all of them lie in one segment of the file. */
const uint8_t *elf_bytes(const struct elf_image *image, uint64_t address, uint64_t n);
/* As elf_bytes, in executable segments only. */
const uint8_t *elf_code(const struct elf_image *image, uint64_t address, uint64_t n);
/* How many bytes of its segment follow an address; 0 when it lies in none. */
uint64_t elf_bytes_left(const struct elf_image *image, uint64_t address);
/* The value of a defined dynamic symbol, 0 when there is none of that name. */
uint64_t elf_symbol(const struct elf_image *image, const char *name);

/* Unaligned loads. */
static inline uint32_t elf_u32(const uint8_t *bytes)
{
    uint32_t value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t elf_u64(const uint8_t *bytes)
{
    uint64_t value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

/* A signed 32-bit displacement, widened so that it can be added to an address. */
static inline uint64_t elf_displacement(const uint8_t *bytes)
{
    return (uint64_t)(int64_t)(int32_t)elf_u32(bytes);
}

static inline bool elf_holds(struct elf_range range, uint64_t address)
{
    return address >= range.low && address < range.high;
}

#endif
