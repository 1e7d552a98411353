/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings: what was written is read again, and whatever else a file holds is survived. */
#include "collect/recording.h"

#include "../check.h"
#include "base/arena.h"
#include "collect/collect.h"
#include "collect/run_record.h"

#include <stdbool.h>
#include <unistd.h>

static char path[] = "/tmp/scalene-recording-XXXXXX";
static struct arena arena;

static const struct record_header *run(void)
{
    static const char *const arguments[] = {"a", "bc", NULL};
    struct collect_run what = {.program = "/x/prog.py",
                               .entry_folder = "/x",
                               .program_path = "/x",
                               .arguments = arguments};
    return run_record(&arena, &what);
}

static struct record_end end_of(uint64_t time_ns)
{
    return (struct record_end){.head = {.size = sizeof(struct record_end), .kind = RECORD_END},
                               .time_ns = time_ns};
}

/* RECORD_RUN, then `n` processes with one RECORD_END each. */
static void write_good(uint32_t n)
{
    struct recording recording;
    struct err e;
    CHECK(recording_create(&recording, path, &e));
    recording_write(&recording, 0, run());
    for (uint32_t i = 0; i < n; i++) {
        struct record_end end = end_of(i);
        recording_write(&recording, i, &end.head);
    }
    recording_close(&recording);
    CHECK(!recording.trouble.text[0]);
}

/* Reads the file to its end: how many records came, and the sentence about trouble. */
static int read_all(struct err *trouble)
{
    struct collect *c;
    const struct record_header *record;
    uint32_t process;
    int n = 0;
    *trouble = (struct err){0};
    if (!collect_replay(&c, path, trouble))
        return -1;
    while (collect_next(c, &process, &record))
        n++;
    if (collect_trouble(c))
        err_set(trouble, "%s", collect_trouble(c));
    collect_close(c);
    return n;
}

static void what_is_written_is_read_again(void)
{
    struct recording recording;
    const struct record_header *record, *first = run();
    uint32_t process;
    struct err e;
    write_good(3);
    CHECK(recording_open(&recording, path, &e));
    CHECK(recording_read(&recording, &process, &record) && process == 0);
    CHECK(record->size == first->size && record->kind == RECORD_RUN);
    const struct record_run *got = (const void *)record;
    CHECK(got->program.n_chars == 10 && memcmp(got + 1, "/x/prog.py", 10) == 0);
    CHECK(got->arguments.n_chars == 5);
    CHECK(memcmp((const char *)record + record->size - 8, "a\0bc\0\0\0", 8) == 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct record_end want = end_of(i);
        CHECK(recording_read(&recording, &process, &record) && process == i);
        CHECK(memcmp(record, &want, sizeof want) == 0);
    }
    CHECK(!recording_read(&recording, &process, &record));
    CHECK(!recording.trouble.text[0] && recording.n_processes == 3);
    recording_close(&recording);
}

/* Wherever a file is cut, what stands before is read, and only the ends of chunks are in order. */
static void cut_at_any_byte_is_survived(void)
{
    struct err trouble;
    write_good(2);
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    long size = ftell(file), end_chunk = 8 + (long)sizeof(struct record_end);
    fclose(file);
    for (long cut = size; cut-- > 0;) {
        CHECK(truncate(path, cut) == 0);
        int n = read_all(&trouble);
        bool is_whole = cut == 16 || (cut <= size && cut >= size - 2 * end_chunk &&
                                      (size - cut) % end_chunk == 0);
        CHECK((n < 0) == (cut < 16));
        CHECK(is_whole == (trouble.text[0] == '\0'));
    }
}

static void damaged_bytes_are_survived(void)
{
    struct err trouble;
    unsigned long random = 1;
    for (int round = 0; round < 3000; round++) {
        if (round % 50 == 0)
            write_good(3);
        FILE *file = fopen(path, "r+b");
        random = random * 6364136223846793005ul + 1442695040888963407ul;
        fseek(file, 16 + (long)(random >> 33) % 400, SEEK_SET);
        fputc((int)(random >> 24 & 255), file);
        fclose(file);
        CHECK(read_all(&trouble) <= 60);
    }
}

static void write_chunk(uint32_t process, uint32_t size, uint16_t kind)
{
    FILE *file = fopen(path, "ab");
    struct recording_chunk chunk = {.process = process};
    struct record_header head = {.size = size, .kind = kind};
    fwrite(&chunk, sizeof chunk, 1, file);
    fwrite(&head, sizeof head, 1, file);
    fclose(file);
}

static void nonsense_is_named_and_not_followed(void)
{
    static const struct {
        uint32_t process, size;
    } chunks[] = {{0, 0}, {0, 4}, {0, 12}, {0, 0xfffffff8}, {7, 8}, {0xffffffff, 8}};
    struct err trouble;
    char want[200];
    snprintf(want, sizeof want,
             "the recording '%s' is damaged; what stands before the damage was read.", path);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        write_good(1);
        write_chunk(chunks[i].process, chunks[i].size, RECORD_SAMPLE);
        CHECK(read_all(&trouble) == 2);
        CHECK_STR(trouble.text, want);
    }
}

static void other_files_are_refused(void)
{
    struct err trouble;
    char want[200];
    struct recording_head head = {.magic = RECORDING_MAGIC, .version = WIRE_VERSION + 1};
    FILE *file = fopen(path, "wb");
    fputs("{\"this is\": \"a profile, not a recording\"}", file);
    fclose(file);
    CHECK(read_all(&trouble) == -1);
    snprintf(want, sizeof want, "'%s' is not a recording made by scalene run --record.", path);
    CHECK_STR(trouble.text, want);
    file = fopen(path, "wb");
    fwrite(&head, sizeof head, 1, file);
    fclose(file);
    CHECK(read_all(&trouble) == -1 && strstr(trouble.text, "has version"));
}

static void full_disk_is_told(void)
{
    struct recording recording;
    struct err e;
    CHECK(recording_create(&recording, "/dev/full", &e));
    recording_write(&recording, 0, run());
    recording_flush(&recording);
    recording_close(&recording);
    CHECK_STR(recording.trouble.text,
              "the recording '/dev/full' is not complete: No space left on device.");
}

int main(void)
{
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    RUN(what_is_written_is_read_again);
    RUN(cut_at_any_byte_is_survived);
    RUN(damaged_bytes_are_survived);
    RUN(nonsense_is_named_and_not_followed);
    RUN(other_files_are_refused);
    RUN(full_disk_is_told);
    arena_fini(&arena);
    unlink(path);
    return 0;
}
