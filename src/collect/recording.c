/* SPDX-License-Identifier: Apache-2.0 */
/* Writer and reader of recordings. The reader trusts nothing: recordings come with bug reports. */
#include "collect/recording.h"

#include "base/arena.h"
#include "wire/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool recording_create(struct recording *recording, const char *path, struct err *e)
{
    struct recording_head head = {.magic = RECORDING_MAGIC, .version = WIRE_VERSION};
    *recording = (struct recording){.path = path, .file = fopen(path, "wbe")};
    if (!recording->file)
        return err_set(e, "cannot write the recording '%s': %s.", path, strerror(errno));
    fwrite(&head, sizeof head, 1, recording->file);
    return true;
}

static void remember_failed_write(struct recording *recording)
{
    err_set(&recording->trouble, "the recording '%s' is not complete: %s.", recording->path,
            strerror(errno));
}

void recording_write(struct recording *recording, uint32_t process,
                     const struct record_header *record)
{
    struct recording_chunk chunk = {.process = process};
    if (recording->trouble.text[0])
        return;
    if (fwrite(&chunk, sizeof chunk, 1, recording->file) != 1 ||
        fwrite(record, record->size, 1, recording->file) != 1)
        remember_failed_write(recording);
}

void recording_flush(struct recording *recording)
{
    if (!recording->trouble.text[0] && fflush(recording->file) != 0)
        remember_failed_write(recording);
}

bool recording_open(struct recording *recording, const char *path, struct err *e)
{
    struct recording_head head = {0};
    struct stat st;
    *recording = (struct recording){.path = path, .file = fopen(path, "rbe")};
    if (!recording->file)
        return err_set(e, "cannot read the recording '%s': %s.", path, strerror(errno));
    recording->buffer = xrealloc(NULL, RING_RECORD_MAX);
    bool is_read = fstat(fileno(recording->file), &st) == 0 && !S_ISDIR(st.st_mode) &&
                   fread(&head, sizeof head, 1, recording->file) == 1;
    bool is_ours = is_read && head.magic == RECORDING_MAGIC;
    if (is_ours && head.version == WIRE_VERSION)
        return true;
    recording_close(recording);
    if (!is_ours)
        return err_set(e, "'%s' is not a recording made by scalene run --record.", path);
    return err_set(e, "the recording '%s' has version %u, this scalene reads version %u.", path,
                   head.version, WIRE_VERSION);
}

/* One read of the reader: false at the end of the file, which is in order only between chunks. */
static bool read_bytes(struct recording *recording, void *to, size_t n_bytes, bool is_between)
{
    size_t n = fread(to, 1, n_bytes, recording->file);
    if (n == n_bytes)
        return true;
    if (ferror(recording->file))
        err_set(&recording->trouble, "cannot read the recording '%s': %s.", recording->path,
                strerror(errno));
    else if (n > 0 || !is_between)
        err_set(&recording->trouble, "the recording '%s' is cut off; what there is was read.",
                recording->path);
    return false;
}

static bool is_sound(const struct recording *recording, const struct recording_chunk *chunk,
                     const struct record_header *head)
{
    bool is_first = recording->n_processes == 0;
    return head->size >= sizeof *head && head->size <= RING_RECORD_MAX && head->size % 8 == 0 &&
           chunk->process <= recording->n_processes &&
           (!is_first || (head->kind == RECORD_RUN && chunk->process == 0));
}

bool recording_read(struct recording *recording, uint32_t *process,
                    const struct record_header **record)
{
    struct recording_chunk chunk;
    struct record_header *head = (void *)recording->buffer;
    if (recording->trouble.text[0] || !read_bytes(recording, &chunk, sizeof chunk, true) ||
        !read_bytes(recording, head, sizeof *head, false))
        return false;
    if (!is_sound(recording, &chunk, head))
        return err_set(&recording->trouble,
                       "the recording '%s' is damaged; what stands before the damage was read.",
                       recording->path);
    if (!read_bytes(recording, head + 1, head->size - sizeof *head, false))
        return false;
    if (chunk.process == recording->n_processes)
        recording->n_processes++;
    *process = chunk.process;
    *record = head;
    return true;
}

void recording_close(struct recording *recording)
{
    if (recording->file && fclose(recording->file) != 0 && !recording->trouble.text[0])
        remember_failed_write(recording);
    free(recording->buffer);
    recording->file = NULL;
    recording->buffer = NULL;
}
