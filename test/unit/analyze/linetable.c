/* SPDX-License-Identifier: Apache-2.0 */
/* Line tables against what the interpreters themselves read from them (test/golden/linetable). */
#include "analyze/linetable.h"

#include "../check.h"

#include <stdbool.h>
#include <stdint.h>

#define TABLE_BYTES_MAX 65536

struct golden {
    char name[256];
    int first_line, code_bytes;
    uint8_t table[TABLE_BYTES_MAX];
    size_t n_table;
};

static FILE *open_golden(const char *version)
{
    char path[4096];
    const char *folder = getenv("SCALENE_GOLDEN");
    snprintf(path, sizeof path, "%s/linetable/%s.txt", folder ? folder : GOLDEN_FOLDER, version);
    FILE *file = fopen(path, "r");
    if (!file)
        fprintf(stderr, "%s: cannot be opened\n", path);
    CHECK(file);
    return file;
}

static void read_table(struct golden *golden, const char *hex)
{
    unsigned byte;
    for (golden->n_table = 0; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        golden->table[golden->n_table++] = (uint8_t)byte;
}

/* `lines` is "OFFSET:LINE OFFSET:- ...". Every instruction is looked up, not only the starts. */
static void check_lines(const struct golden *golden, uint32_t hexversion, const char *lines)
{
    struct arena arena = {0};
    struct linetable table =
        linetable_decode(&arena, hexversion, golden->first_line, golden->table, golden->n_table);
    int want = golden->first_line, next = -1, used = 0, instr = 0;
    char line[32];
    for (; instr < golden->code_bytes; instr += 2) {
        while (sscanf(lines, " %d:%31s%n", &next, line, &used) == 2 && next <= instr) {
            want = line[0] == '-' ? LINETABLE_NO_LINE : atoi(line);
            lines += used;
        }
        const struct linetable_entry *entry = linetable_find(&table, (uint32_t)instr);
        if (!entry || entry->line != want)
            fprintf(stderr, "%s, instruction %d: got %d, want %d\n", golden->name, instr,
                    entry ? entry->line : -1, want);
        CHECK(entry && entry->line == want);
    }
    arena_fini(&arena);
}

static void check_version(const char *version, uint32_t hexversion)
{
    static struct golden golden;
    static char text[4 * TABLE_BYTES_MAX];
    int n_codes = 0;
    FILE *file = open_golden(version);
    while (fgets(text, sizeof text, file)) {
        if (strncmp(text, "code ", 5) == 0)
            CHECK(sscanf(text, "code %255s %d %d", golden.name, &golden.first_line,
                         &golden.code_bytes) == 3);
        else if (strncmp(text, "table ", 6) == 0)
            read_table(&golden, text + 6);
        else if (strncmp(text, "lines ", 6) == 0) {
            check_lines(&golden, hexversion, text + 6);
            n_codes++;
        }
    }
    fclose(file);
    CHECK(n_codes >= 20);
}

static void lnotab_reads_as_python_3_8_and_3_9_read_it(void)
{
    check_version("3.8", 0x030812f0);
    check_version("3.9", 0x030912f0);
}

static void linetable_reads_as_python_3_10_reads_it(void)
{
    check_version("3.10", 0x030a0df0);
}

static void linetable_reads_as_python_3_11_and_later_read_it(void)
{
    check_version("3.11", 0x030b07f0);
    check_version("3.12", 0x030c01f0);
    check_version("3.13", 0x030d00f0);
}

/* Tables of noise, each in a block of its own size so that a sanitizer sees the byte after it. */
static void damaged_tables_are_read_to_their_end_and_no_further(void)
{
    static const uint32_t versions[] = {0x03080000, 0x030a0000, 0x030b0000, 0x030f0000};
    uint32_t noise = 1;
    for (int round = 0; round < 4000; round++) {
        size_t n = (size_t)round % 40;
        uint8_t *bytes = malloc(n ? n : 1);
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)((noise = noise * 1664525u + 1013904223u) >> 24);
        struct arena arena = {0};
        struct linetable table = linetable_decode(&arena, versions[round % 4], INT32_MAX, bytes, n);
        for (size_t i = 1; i < table.n; i++)
            CHECK(table.entries[i - 1].offset <= table.entries[i].offset);
        linetable_find(&table, UINT32_MAX);
        arena_fini(&arena);
        free(bytes);
    }
}

int main(void)
{
    RUN(lnotab_reads_as_python_3_8_and_3_9_read_it);
    RUN(linetable_reads_as_python_3_10_reads_it);
    RUN(linetable_reads_as_python_3_11_and_later_read_it);
    RUN(damaged_tables_are_read_to_their_end_and_no_further);
    return 0;
}
