/* SPDX-License-Identifier: Apache-2.0 */
/* Opening ELF files: segments, build-id, dynamic section, symbols by name.
 *
 * Only program headers are used, never section headers, so that stripped files serve as well. The
 * file stays mapped: one that is cut short while we read it can still end us by SIGBUS, which is
 * accepted because copying libraries of gigabytes is worse. */
#include "symbol/elf.h"

#include "base/vec.h"
#include "symbol/plt.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct elf_segment *segment_of(const struct elf_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->n_segments; i++)
        if (elf_holds(image->segments[i].at, address))
            return &image->segments[i];
    return NULL;
}

uint64_t elf_bytes_left(const struct elf_image *image, uint64_t address)
{
    const struct elf_segment *segment = segment_of(image, address);
    return segment ? segment->at.high - address : 0;
}

const uint8_t *elf_bytes(const struct elf_image *image, uint64_t address, uint64_t n)
{
    const struct elf_segment *segment = segment_of(image, address);
    if (!segment || n > segment->at.high - address)
        return NULL;
    return image->file + segment->offset + (address - segment->at.low);
}

const uint8_t *elf_code(const struct elf_image *image, uint64_t address, uint64_t n)
{
    const struct elf_segment *segment = segment_of(image, address);
    return segment && segment->is_executable ? elf_bytes(image, address, n) : NULL;
}

static void add_segment(struct elf_image *image, const Elf64_Phdr *header)
{
    bool fits = header->p_offset <= image->n_file &&
                header->p_filesz <= image->n_file - header->p_offset &&
                header->p_filesz <= UINT64_MAX - header->p_vaddr;
    if (!fits || header->p_filesz == 0 || image->n_segments == ELF_SEGMENTS)
        return;
    struct elf_segment *segment = &image->segments[image->n_segments++];
    segment->at = (struct elf_range){header->p_vaddr, header->p_vaddr + header->p_filesz};
    segment->offset = header->p_offset;
    segment->is_executable = header->p_flags & PF_X;
    if (!segment->is_executable)
        return;
    if (image->text.high == 0)
        image->text = segment->at;
    if (segment->at.low < image->text.low)
        image->text.low = segment->at.low;
    if (segment->at.high > image->text.high)
        image->text.high = segment->at.high;
}

static uint64_t align_4(uint64_t n)
{
    return (n + 3) & ~(uint64_t)3;
}

/* Looks for the GNU build-id among the notes of one segment. */
static void read_notes(struct elf_image *image, const Elf64_Phdr *header)
{
    uint64_t left = header->p_filesz < 65536 ? header->p_filesz : 65536;
    const uint8_t *at = elf_bytes(image, header->p_vaddr, left);
    while (at && left >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        memcpy(&note, at, sizeof note);
        uint64_t name_bytes = align_4(note.n_namesz), text_bytes = align_4(note.n_descsz);
        if (name_bytes + text_bytes > left - sizeof note)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz > 0 &&
            note.n_descsz <= ELF_BUILD_ID_BYTES && memcmp(at + sizeof note, "GNU", 4) == 0) {
            image->n_build_id = note.n_descsz;
            memcpy(image->build_id, at + sizeof note + name_bytes, note.n_descsz);
            return;
        }
        at += sizeof note + name_bytes + text_bytes;
        left -= sizeof note + name_bytes + text_bytes;
    }
}

/* Where each tag that matters goes. */
static const struct {
    int64_t tag;
    size_t field;
} dynamic_fields[] = {
    {DT_SYMTAB, offsetof(struct elf_dynamic, symbols)},
    {DT_STRTAB, offsetof(struct elf_dynamic, strings)},
    {DT_STRSZ, offsetof(struct elf_dynamic, strings_bytes)},
    {DT_RELA, offsetof(struct elf_dynamic, relocations)},
    {DT_RELASZ, offsetof(struct elf_dynamic, relocations_bytes)},
    {DT_JMPREL, offsetof(struct elf_dynamic, plt_relocations)},
    {DT_PLTRELSZ, offsetof(struct elf_dynamic, plt_relocations_bytes)},
    {DT_GNU_HASH, offsetof(struct elf_dynamic, gnu_hash)},
};

static void read_dynamic(struct elf_image *image, const Elf64_Phdr *header)
{
    size_t n = header->p_filesz / sizeof(Elf64_Dyn);
    const uint8_t *at = elf_bytes(image, header->p_vaddr, n * sizeof(Elf64_Dyn));
    for (size_t i = 0; at && i < n; i++, at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, at, sizeof entry);
        if (entry.d_tag == DT_NULL)
            return;
        for (size_t k = 0; k < sizeof dynamic_fields / sizeof *dynamic_fields; k++)
            if (dynamic_fields[k].tag == entry.d_tag)
                memcpy((char *)&image->dynamic + dynamic_fields[k].field, &entry.d_un.d_val,
                       sizeof(uint64_t));
    }
}

static bool is_x86_64(const Elf64_Ehdr *header)
{
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
           header->e_machine == EM_X86_64 && header->e_phentsize == sizeof(Elf64_Phdr);
}

/* Calls `read` for every program header of one type. */
static void each_header(struct elf_image *image, const Elf64_Ehdr *header, uint32_t type,
                        void (*read)(struct elf_image *, const Elf64_Phdr *))
{
    for (size_t i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr entry;
        memcpy(&entry, image->file + header->e_phoff + i * sizeof entry, sizeof entry);
        if (entry.p_type == type)
            read(image, &entry);
    }
}

static void read_eh_frame(struct elf_image *image, const Elf64_Phdr *header)
{
    image->eh_frame_header = header->p_vaddr;
}

bool elf_parse(struct elf_image *image, const uint8_t *file, size_t n_file)
{
    Elf64_Ehdr header;
    *image = (struct elf_image){.file = file, .n_file = n_file};
    if (n_file < sizeof header)
        return false;
    memcpy(&header, file, sizeof header);
    if (!is_x86_64(&header) || header.e_phoff > n_file ||
        header.e_phnum > (n_file - header.e_phoff) / sizeof(Elf64_Phdr))
        return false;
    each_header(image, &header, PT_LOAD, add_segment);
    each_header(image, &header, PT_NOTE, read_notes);
    each_header(image, &header, PT_DYNAMIC, read_dynamic);
    each_header(image, &header, PT_GNU_EH_FRAME, read_eh_frame);
    plt_read_slots(image);
    return true;
}

void elf_fini(struct elf_image *image)
{
    free(image->slots);
    image->slots = NULL;
    image->n_slots = 0;
}

/* ---- symbols by name ---- */

/* The hash function of the GNU hash section, as the dynamic linker computes it. */
static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (uint8_t)*name;
    return hash;
}

static bool is_named(const struct elf_image *image, const Elf64_Sym *symbol, const char *name)
{
    size_t n = strlen(name) + 1;
    const struct elf_dynamic *dynamic = &image->dynamic;
    if (symbol->st_name >= dynamic->strings_bytes)
        return false;
    const uint8_t *text = elf_bytes(image, dynamic->strings + symbol->st_name, n);
    return text && memcmp(text, name, n) == 0;
}

/* The first symbol of the bucket of a hash, 0: the bucket is empty. *chains is the address of the
 * chain word of symbol 0, which need not exist. */
static uint32_t bucket_of(const struct elf_image *image, uint32_t hash, uint64_t *chains)
{
    uint64_t table = image->dynamic.gnu_hash;
    const uint8_t *head = elf_bytes(image, table, 16);
    if (!head || elf_u32(head) == 0)
        return 0;
    uint32_t n_buckets = elf_u32(head), first = elf_u32(head + 4), n_bloom = elf_u32(head + 8);
    uint64_t buckets = table + 16 + 8ull * n_bloom;
    const uint8_t *bucket = elf_bytes(image, buckets + 4ull * (hash % n_buckets), 4);
    *chains = buckets + 4ull * n_buckets - 4ull * first;
    return bucket && elf_u32(bucket) >= first ? elf_u32(bucket) : 0;
}

uint64_t elf_symbol(const struct elf_image *image, const char *name)
{
    uint32_t hash = gnu_hash(name);
    uint64_t chains = 0;
    uint32_t index = image->dynamic.gnu_hash ? bucket_of(image, hash, &chains) : 0;
    for (; index; index++) {
        const uint8_t *link = elf_bytes(image, chains + 4ull * index, 4);
        const uint8_t *entry = elf_bytes(
            image, image->dynamic.symbols + sizeof(Elf64_Sym) * (uint64_t)index, sizeof(Elf64_Sym));
        if (!link || !entry)
            return 0;
        Elf64_Sym symbol;
        memcpy(&symbol, entry, sizeof symbol);
        if ((elf_u32(link) | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF &&
            is_named(image, &symbol, name))
            return symbol.st_value;
        if (elf_u32(link) & 1)
            return 0;
    }
    return 0;
}

/* ---- the cache ---- */

static struct elf_image *image_of_file(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
        return NULL;
    size_t n = (size_t)status.st_size;
    void *file = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file == MAP_FAILED)
        return NULL;
    struct elf_image *image = xrealloc(NULL, sizeof *image);
    if (elf_parse(image, file, n))
        return image;
    munmap(file, n);
    free(image);
    return NULL;
}

static struct elf_image *image_of_path(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    struct elf_image *image = image_of_file(fd);
    close(fd);
    return image;
}

const struct elf_image *elf_open(struct elf_cache *cache, const char *path, const uint8_t *build_id,
                                 size_t n_build_id)
{
    size_t *index = map_at(&cache->by_path, path, strlen(path), NULL);
    if (*index == 0) {
        *vec_push(&cache->images) = image_of_path(path);
        *index = cache->images.n;
    }
    const struct elf_image *image = cache->images.items[*index - 1];
    if (!image || n_build_id == 0)
        return image;
    bool is_same =
        image->n_build_id == n_build_id && memcmp(image->build_id, build_id, n_build_id) == 0;
    return is_same ? image : NULL;
}

void elf_cache_fini(struct elf_cache *cache)
{
    for (size_t i = 0; i < cache->images.n; i++) {
        struct elf_image *image = cache->images.items[i];
        if (!image)
            continue;
        elf_fini(image);
        munmap((void *)(uintptr_t)image->file, image->n_file);
        free(image);
    }
    vec_fini(&cache->images);
    map_fini(&cache->by_path);
}
