/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file and makes clean lines of its bytes. */
#include "source/source.h"

#include "source/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef vec_of(char) buffer;

/* Encodings of one byte a letter; all are shown as Latin-1, the mother of most of them. */
static const char *const byte_encodings[] = {"latin", "iso-8859", "iso8859", "cp125", "l1"};

/* The encoding named in one of the first two lines, as PEP 263 has it: "coding" and ':' or '='. */
static bool declares_byte_encoding(const char *bytes, size_t n_bytes)
{
    size_t i = 0;
    for (int line = 0; line < 2 && i < n_bytes; line++) {
        const char *newline = memchr(bytes + i, '\n', n_bytes - i);
        size_t end = newline ? (size_t)(newline - bytes) : n_bytes;
        const char *found = memmem(bytes + i, end - i, "coding", 6);
        size_t at = found ? (size_t)(found - bytes) + 6 : end;
        bool is_comment = bytes[i] == '#';
        if (is_comment && at + 1 < end && (bytes[at] == ':' || bytes[at] == '=')) {
            at += 1;
            while (at < end && bytes[at] == ' ')
                at++;
            for (size_t k = 0; k < sizeof byte_encodings / sizeof *byte_encodings; k++) {
                size_t n = strlen(byte_encodings[k]);
                if (end - at >= n && strncasecmp(bytes + at, byte_encodings[k], n) == 0)
                    return true;
            }
        }
        i = end + 1;
    }
    return false;
}

static void append(buffer *text, const char *bytes, size_t n_bytes)
{
    if (text->room - text->n < n_bytes) {
        text->room = 2 * text->room + n_bytes;
        text->items = xrealloc(text->items, text->room);
    }
    if (n_bytes)
        memcpy(text->items + text->n, bytes, n_bytes);
    text->n += n_bytes;
}

static void push_code_point(buffer *text, uint32_t code_point)
{
    char bytes[4];
    append(text, bytes, utf8_append(bytes, code_point));
}

/* How many bytes stay as they are, whatever the encoding. */
static size_t count_plain(const char *bytes, size_t n_bytes)
{
    size_t n = 0;
    while (n < n_bytes && bytes[n] > 0 && bytes[n] != '\r')
        n++;
    return n;
}

static void decode(buffer *text, const char *bytes, size_t n_bytes)
{
    bool has_byte_letters = declares_byte_encoding(bytes, n_bytes);
    size_t i = n_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < n_bytes) {
        size_t n_plain = count_plain(bytes + i, n_bytes - i);
        append(text, bytes + i, n_plain);
        i += n_plain;
        if (i == n_bytes)
            return;
        unsigned char c = (unsigned char)bytes[i];
        uint32_t code_point;
        size_t n = utf8_decode(bytes + i, n_bytes - i, &code_point);
        if (c == '\r') {
            *vec_push(text) = '\n';
            i += i + 1 < n_bytes && bytes[i + 1] == '\n' ? 2 : 1;
        } else if (c >= 0x80 && has_byte_letters) {
            push_code_point(text, c);
            i++;
        } else if (n == 0 || c == 0) {
            push_code_point(text, UTF8_REPLACEMENT);
            i++;
        } else {
            append(text, bytes + i, n);
            i += n;
        }
    }
}

static void split(struct source *s)
{
    vec_of(struct source_line) lines = {0};
    for (size_t start = 0; start < s->n_bytes;) {
        const char *newline = memchr(s->text + start, '\n', s->n_bytes - start);
        size_t end = newline ? (size_t)(newline - s->text) : s->n_bytes;
        *vec_push(&lines) = (struct source_line){start, end - start};
        start = end + 1;
    }
    s->lines = lines.items;
    s->n_lines = (uint32_t)lines.n;
}

void source_init(struct source *s, const char *bytes, size_t n_bytes)
{
    *s = (struct source){0};
    buffer text = {0};
    decode(&text, bytes, n_bytes);
    s->text = text.items;
    s->n_bytes = text.n;
    split(s);
    outline_init(&s->outline, s->text, s->n_bytes, s->n_lines);
}

void source_fini(struct source *s)
{
    free(s->text);
    free(s->lines);
    outline_fini(&s->outline);
    *s = (struct source){0};
}

/* Reads at most SOURCE_MAX_BYTES + 1, so that a file that grew meanwhile is noticed. */
static bool read_all(int fd, buffer *bytes, const char *path, struct err *e)
{
    char chunk[65536];
    while (bytes->n <= SOURCE_MAX_BYTES) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(e, "%s cannot be read: %s.", path, strerror(errno));
        if (n == 0)
            return true;
        append(bytes, chunk, (size_t)n);
    }
    return err_set(e, "%s is larger than %u MB.", path, SOURCE_MAX_BYTES >> 20);
}

static bool read_file(buffer *bytes, const char *path, struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_set(e, "%s cannot be opened: %s.", path, strerror(errno));
    struct stat status;
    bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    bool is_read =
        is_file ? read_all(fd, bytes, path, e) : err_set(e, "%s is not a regular file.", path);
    close(fd);
    return is_read;
}

bool source_load(struct source *s, const char *path, struct err *e)
{
    *s = (struct source){0};
    buffer bytes = {0};
    bool is_read = read_file(&bytes, path, e);
    if (is_read)
        source_init(s, bytes.items, bytes.n);
    vec_fini(&bytes);
    return is_read;
}

bool source_mentions(const char *path, const char *text)
{
    struct err ignored;
    buffer bytes = {0};
    bool mentions = read_file(&bytes, path, &ignored) && bytes.n &&
                    memmem(bytes.items, bytes.n, text, strlen(text));
    vec_fini(&bytes);
    return mentions;
}

/* Takes over `s`, which may be NULL. */
static void keep(struct sources *sources, size_t *place, struct source *s)
{
    *vec_push(&sources->loaded) = s;
    *place = sources->loaded.n;
}

const struct source *sources_of(void *context, const char *path)
{
    struct sources *sources = context;
    bool is_new;
    size_t *place = map_at(&sources->by_path, path, strlen(path), &is_new);
    if (is_new) {
        struct err ignored;
        struct source *s = xrealloc(NULL, sizeof *s);
        if (!source_load(s, path, &ignored)) {
            free(s);
            s = NULL;
        }
        keep(sources, place, s);
    }
    return sources->loaded.items[*place - 1];
}

void sources_put(struct sources *sources, const char *path, const char *text)
{
    struct source *s = xrealloc(NULL, sizeof *s);
    source_init(s, text, strlen(text));
    keep(sources, map_at(&sources->by_path, path, strlen(path), NULL), s);
}

void sources_fini(struct sources *sources)
{
    for (size_t i = 0; i < sources->loaded.n; i++) {
        if (sources->loaded.items[i])
            source_fini(sources->loaded.items[i]);
        free(sources->loaded.items[i]);
    }
    vec_fini(&sources->loaded);
    map_fini(&sources->by_path);
}
