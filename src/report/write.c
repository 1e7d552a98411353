/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes, commas and digits of JSON. */
#include "report/write.h"

#include "source/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define DECIMALS     1000000ull
#define LARGEST_REAL 1e12 /* times DECIMALS it still fits 64 bits; no quantity here comes near */

/* Nobody else writes to the stream: it need not be locked for every byte. */
static void put(struct writer *w, const char *text, size_t n_bytes)
{
    fwrite_unlocked(text, 1, n_bytes, w->out);
}

static void put_string(struct writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void begin_value(struct writer *w)
{
    if (w->needs_comma && !w->has_key)
        put_string(w, ", ");
    w->has_key = false;
    w->needs_comma = true;
}

void write_open(struct writer *w, char open)
{
    begin_value(w);
    putc_unlocked(open, w->out);
    w->needs_comma = false;
}

void write_close(struct writer *w, char close)
{
    putc_unlocked(close, w->out);
    w->needs_comma = true;
}

void write_break(struct writer *w)
{
    put_string(w, w->needs_comma ? ",\n" : "\n");
    w->needs_comma = false;
}

static void put_code_point(struct writer *w, uint32_t c)
{
    static const char plain[][2] = {"\nn", "\tt", "\rr", "\"\"", "\\\\", "\bb", "\ff"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (c == (unsigned char)plain[i][0]) {
            fprintf(w->out, "\\%c", plain[i][1]);
            return;
        }
    }
    if (c >= 0x20 && c < 0x7f)
        putc_unlocked((int)c, w->out);
    else if (c < 0x10000)
        fprintf(w->out, "\\u%04" PRIx32, c);
    else
        fprintf(w->out, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 + ((c - 0x10000) >> 10),
                0xdc00 + ((c - 0x10000) & 0x3ff));
}

/* A byte that is not UTF-8 is spelled out as \xNN: two paths that differ stay different. */
static size_t put_character(struct writer *w, const char *text, size_t n_bytes)
{
    uint32_t c;
    size_t n = utf8_decode(text, n_bytes, &c);
    if (n == 0) {
        fprintf(w->out, "\\\\x%02x", (unsigned char)*text);
        return 1;
    }
    put_code_point(w, c);
    return n;
}

/* How many bytes stand in JSON, and in upstream's page, as they are. */
static size_t count_plain(const char *text, size_t n_bytes)
{
    size_t n = 0;
    while (n < n_bytes && text[n] >= 0x20 && text[n] < 0x7f && text[n] != '"' && text[n] != '\\' &&
           text[n] != '&' && text[n] != '<' && text[n] != '>')
        n++;
    return n;
}

static void put_escaped(struct writer *w, const char *text, size_t n_bytes, bool is_source)
{
    for (size_t i = 0; i < n_bytes;) {
        size_t n = count_plain(text + i, n_bytes - i);
        put(w, text + i, n);
        i += n;
        if (i == n_bytes)
            return;
        if (is_source && memchr("&<>", text[i], 3)) {
            fprintf(w->out, "\\\\u%04x", (unsigned char)text[i]);
            i++;
        } else {
            i += put_character(w, text + i, n_bytes - i);
        }
    }
}

void write_text(struct writer *w, const char *text)
{
    begin_value(w);
    putc_unlocked('"', w->out);
    put_escaped(w, text, text ? strlen(text) : 0, false);
    putc_unlocked('"', w->out);
}

void write_source(struct writer *w, const char *text, size_t n_bytes)
{
    begin_value(w);
    putc_unlocked('"', w->out);
    put_escaped(w, text, n_bytes, true);
    put_string(w, "\\n\"");
}

void write_key(struct writer *w, const char *key)
{
    write_text(w, key);
    put_string(w, ": ");
    w->has_key = true;
}

void write_bool(struct writer *w, bool value)
{
    begin_value(w);
    put_string(w, value ? "true" : "false");
}

void write_null(struct writer *w)
{
    begin_value(w);
    put_string(w, "null");
}

static void put_digits(struct writer *w, uint64_t value, int n_digits)
{
    char digits[20], *at = digits + sizeof digits;
    for (; value || n_digits > 0; value /= 10, n_digits--)
        *--at = (char)('0' + value % 10);
    put(w, at, (size_t)(digits + sizeof digits - at));
}

void write_count(struct writer *w, uint64_t value)
{
    begin_value(w);
    put_digits(w, value, 1);
}

void write_number(struct writer *w, double value)
{
    if (!isfinite(value))
        value = 0;
    value = fmax(-LARGEST_REAL, fmin(LARGEST_REAL, value));
    uint64_t scaled = (uint64_t)llround(fabs(value) * (double)DECIMALS);
    begin_value(w);
    if (value < 0 && scaled)
        putc_unlocked('-', w->out);
    put_digits(w, scaled / DECIMALS, 1);
    uint64_t fraction = scaled % DECIMALS;
    if (fraction == 0)
        return;
    int n_digits = 6;
    for (; fraction % 10 == 0; fraction /= 10)
        n_digits--;
    putc_unlocked('.', w->out);
    put_digits(w, fraction, n_digits);
}
