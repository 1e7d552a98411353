/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files: one made by hand, damaged in every way; and the C library as it is. */
#include "symbol/elf.h"

#include "symbol/branch.h"
#include "symbol/eh_frame.h"
#include "symbol/plt.h"
#include "symbol/reference.h"

#include "../check.h"
#include "../image.h"

#include <dlfcn.h>
#include <link.h>

static struct image image;
static struct elf_image elf;

static void parse(void)
{
    CHECK(elf_parse(&elf, image.bytes, sizeof image.bytes));
}

static void functions_are_found_by_address(void)
{
    struct elf_range range;
    image_make(&image);
    parse();
    for (unsigned i = 0; i < IMAGE_FUNCTIONS; i++) {
        CHECK(eh_frame_function(&elf, image_function(i), &range));
        CHECK(range.low == image_function(i) && range.high == image_function(i + 1));
        CHECK(eh_frame_function(&elf, image_function(i + 1) - 1, &range));
        CHECK(range.low == image_function(i));
    }
    CHECK(!eh_frame_function(&elf, IMAGE_CODE - 1, &range));
    CHECK(!eh_frame_function(&elf, image_function(IMAGE_FUNCTIONS), &range));
    CHECK(!eh_frame_function(&elf, UINT64_MAX, &range));
    image_put_u32(&image, IMAGE_EH_FRAME + 20, 8); /* the first function's entry ends too soon */
    CHECK(!eh_frame_function(&elf, image_function(0), &range));
    CHECK(eh_frame_function(&elf, image_function(1), &range));
    elf_fini(&elf);
}

static void symbols_are_found_by_name(void)
{
    image_make(&image);
    parse();
    CHECK(elf_symbol(&elf, "function_0") == image_function(0));
    CHECK(elf_symbol(&elf, "function_15") == image_function(15));
    CHECK(elf_symbol(&elf, "function_16") == 0);
    CHECK(elf_symbol(&elf, "function_") == 0);
    elf_fini(&elf);
}

static void stubs_lead_to_their_functions(void)
{
    static const uint8_t marked[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xf2};
    uint64_t stubs[4];
    image_make(&image);
    uint32_t plain = image_function(8), other = plain + 0x20, foreign = plain + 0x40;
    image_stub(&image, plain, 3);
    image_put(&image, other, marked, sizeof marked);
    image_stub(&image, other + (uint32_t)sizeof marked, 3);
    image_stub(&image, foreign, 200); /* no such slot: a function of another file */
    parse();
    CHECK(plt_target(&elf, plain) == image_function(3));
    CHECK(plt_target(&elf, other) == image_function(3));
    CHECK(plt_target(&elf, foreign) == 0);
    CHECK(plt_target(&elf, image_function(4)) == image_function(4));
    CHECK(plt_stubs(&elf, image_function(3), stubs, 4) == 2);
    CHECK(stubs[0] == plain && stubs[1] == other);
    CHECK(plt_stubs(&elf, image_function(3), stubs, 1) == 1);
    elf_fini(&elf);
}

static void calls_are_read_before_the_return_address(void)
{
    image_make(&image);
    uint32_t direct = image_branch(&image, image_function(0), 0xe8, image_function(1));
    uint32_t pointer = image_call_pointer(&image, image_function(0) + 0x10, 0x30);
    image_stub(&image, image_function(0) + 0x20, 5);
    image.bytes[image_function(0) + 0x21] = 0x15; /* call *slot(%rip) */
    parse();
    struct call call = branch_call_before(&elf, direct);
    CHECK(call.form == CALL_DIRECT && call.target == image_function(1));
    call = branch_call_before(&elf, pointer);
    CHECK(call.form == CALL_INDIRECT && call.displacement == 0x30);
    call = branch_call_before(&elf, image_function(0) + 0x26);
    CHECK(call.form == CALL_DIRECT && call.target == image_function(5));
    CHECK(branch_call_before(&elf, 3).form == CALL_UNKNOWN);
    CHECK(branch_call_before(&elf, UINT64_MAX).form == CALL_UNKNOWN);
    elf_fini(&elf);
}

static void jumps_are_followed_twice_but_no_further(void)
{
    image_make(&image);
    struct elf_range to = {image_function(3), image_function(4)};
    image_branch(&image, image_function(0) + 9, 0xe9, image_function(1));
    image_branch(&image, image_function(1) + IMAGE_FUNCTION_BYTES - 5, 0xe9, image_function(2));
    parse();
    CHECK(!branch_leads_to(&elf, image_function(1), to));
    elf_fini(&elf);
    image_branch(&image, image_function(2) + 77, 0xe9, image_function(3));
    parse();
    CHECK(branch_leads_to(&elf, image_function(2), to));
    CHECK(branch_leads_to(&elf, image_function(1), to));
    CHECK(!branch_leads_to(&elf, image_function(0), to));
    elf_fini(&elf);
}

/* One target at every alignment, another at the ends of the code: found each, and nothing else. */
static void references_are_found_wherever_they_stand(void)
{
    const uint64_t targets[] = {image_function(9), image_function(3)};
    struct elf_range code = {IMAGE_CODE, image_function(2)};
    for (uint32_t shift = 0; shift < 40; shift++) {
        image_make(&image);
        uint32_t first = image_branch(&image, IMAGE_CODE, 0xe8, image_function(3)) - 4;
        uint32_t middle =
            image_branch(&image, image_function(1) + shift, 0xe9, image_function(9)) - 4;
        uint32_t last = image_branch(&image, image_function(2) - 5, 0xe8, image_function(3)) - 4;
        image_branch(&image, image_function(2), 0xe8, image_function(3)); /* out of range */
        parse();
        struct reference_scan scan = {
            .image = &elf, .range = code, .at = code.low, .targets = targets, .n_targets = 2};
        CHECK(reference_next(&scan) && scan.at == first && scan.target == image_function(3));
        CHECK(branch_ends_at(&elf, scan.at));
        CHECK(reference_next(&scan) && scan.at == middle && scan.target == image_function(9));
        CHECK(reference_next(&scan) && scan.at == last);
        CHECK(!reference_next(&scan));
        CHECK(!branch_ends_at(&elf, image_function(4)));
        elf_fini(&elf);
    }
}

static const char *libc_path;
static uint64_t libc_bias;

static int find_libc(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    const char *slash = strrchr(info->dlpi_name, '/');
    if (slash && strncmp(slash, "/libc.so", 8) == 0) {
        libc_path = info->dlpi_name;
        libc_bias = info->dlpi_addr;
    }
    return libc_path != NULL;
}

static void c_library_is_read_as_the_dynamic_linker_reads_it(void)
{
    static const char *const names[] = {"malloc", "free", "printf", "qsort", "fopen", "regexec"};
    struct elf_cache cache = {0};
    dl_iterate_phdr(find_libc, NULL);
    CHECK(libc_path);
    const struct elf_image *libc = elf_open(&cache, libc_path, NULL, 0);
    CHECK(libc && elf_open(&cache, libc_path, NULL, 0) == libc);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t address = elf_symbol(libc, names[i]);
        void *loaded = dlsym(RTLD_NEXT, names[i]);
        struct elf_range range;
        CHECK(address && loaded);
        CHECK(eh_frame_function(libc, address, &range) && range.low == address);
        /* A symbol with versions, or one that a sanitizer took over, may be loaded from elsewhere.
         */
        if (address + libc_bias == (uint64_t)(uintptr_t)loaded)
            CHECK(memcmp(elf_code(libc, address, 16), loaded, 16) == 0);
    }
    elf_cache_fini(&cache);
}

static void another_build_is_refused(void)
{
    struct elf_cache cache = {0};
    const struct elf_image *libc = elf_open(&cache, libc_path, NULL, 0);
    uint8_t wrong[ELF_BUILD_ID_BYTES];
    CHECK(libc->n_build_id == sizeof wrong);
    memcpy(wrong, libc->build_id, sizeof wrong);
    CHECK(elf_open(&cache, libc_path, wrong, sizeof wrong) == libc);
    wrong[7] ^= 1;
    CHECK(!elf_open(&cache, libc_path, wrong, sizeof wrong));
    CHECK(!elf_open(&cache, libc_path, libc->build_id, 8));
    elf_cache_fini(&cache);
}

static void what_is_no_elf_file_is_refused(void)
{
    struct elf_cache cache = {0};
    CHECK(!elf_open(&cache, "/", NULL, 0));
    CHECK(!elf_open(&cache, "/dev/null", NULL, 0));
    CHECK(!elf_open(&cache, "/etc/passwd", NULL, 0));
    CHECK(!elf_open(&cache, "/no/such/file", NULL, 0));
    CHECK(!elf_open(&cache, "", NULL, 0));
    elf_cache_fini(&cache);
}

/* Asks everything there is to ask: answers may be wrong, but nothing may be touched outside. */
static void ask_everything(const uint8_t *bytes, size_t n)
{
    struct elf_image damaged;
    struct elf_range range, to = {image_function(3), image_function(4)};
    uint64_t stubs[4];
    if (elf_parse(&damaged, bytes, n)) {
        elf_symbol(&damaged, "function_3");
        plt_stubs(&damaged, image_function(3), stubs, 4);
        uint64_t target = image_function(3);
        struct reference_scan scan = {.image = &damaged,
                                      .range = damaged.text,
                                      .at = damaged.text.low,
                                      .targets = &target,
                                      .n_targets = 1};
        while (reference_next(&scan))
            branch_ends_at(&damaged, scan.at);
        for (unsigned i = 0; i <= IMAGE_FUNCTIONS; i++) {
            eh_frame_function(&damaged, image_function(i), &range);
            plt_target(&damaged, image_function(i));
            branch_call_before(&damaged, image_function(i));
            branch_leads_to(&damaged, image_function(i), to);
        }
    }
    elf_fini(&damaged);
}

static void damaged_files_do_no_harm(void)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    image_make(&image);
    image_branch(&image, image_function(1), 0xe9, image_function(2));
    for (size_t n = 0; n < IMAGE_BYTES; n += 97) { /* cut short, in a block of its own */
        uint8_t *cut = malloc(n ? n : 1);
        memcpy(cut, image.bytes, n);
        ask_everything(cut, n);
        free(cut);
    }
    uint8_t *copy = malloc(IMAGE_BYTES);
    memcpy(copy, image.bytes, IMAGE_BYTES);
    for (uint32_t at = 0; at < IMAGE_BYTES; at++) {
        if (at >= 0x900 && at < IMAGE_EH_HEADER) /* padding and code */
            continue;
        for (size_t i = 0; i < sizeof values; i++) {
            if (image.bytes[at] == values[i])
                continue;
            copy[at] = values[i];
            if (at % 4 == 3) /* a whole word at its extreme */
                memset(copy + at - 3, values[i], 4);
            ask_everything(copy, IMAGE_BYTES);
            memcpy(copy + (at & ~3u), image.bytes + (at & ~3u), 4);
        }
        while (at + 16 < IMAGE_BYTES && at % 16 == 15 &&
               !memcmp(image.bytes + at + 1, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16))
            at += 16;
    }
    free(copy);
}

int main(void)
{
    RUN(functions_are_found_by_address);
    RUN(symbols_are_found_by_name);
    RUN(stubs_lead_to_their_functions);
    RUN(calls_are_read_before_the_return_address);
    RUN(references_are_found_wherever_they_stand);
    RUN(jumps_are_followed_twice_but_no_further);
    RUN(c_library_is_read_as_the_dynamic_linker_reads_it);
    RUN(another_build_is_refused);
    RUN(what_is_no_elf_file_is_refused);
    RUN(damaged_files_do_no_harm);
    return 0;
}
