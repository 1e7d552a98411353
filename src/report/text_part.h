/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the text view and the words they share; only text.c calls the parts. */
#ifndef SCALENE_REPORT_TEXT_PART_H
#define SCALENE_REPORT_TEXT_PART_H

#include "report/screen.h"
#include "report/text.h"
#include "report/view.h"

/* Fewer samples than these do not tell one line from another. */
#define SURE_SAMPLES 10u
/* A profile with fewer samples in all is not ranked. */
#define RANK_SAMPLES 30u

/* Small texts; each returns `text`. */
#define TEXT_BYTES 48
char *text_share(char text[TEXT_BYTES], double percent);       /* 41%, <1%, or nothing */
char *text_megabytes(char text[TEXT_BYTES], double megabytes); /* 12M, 1.5G, or nothing */
char *text_size(char text[TEXT_BYTES], double megabytes);      /* 160 MB, 43 KB, or nothing */
char *text_seconds(char text[TEXT_BYTES], double seconds);     /* 4.44 s, 3 min 20 s */
char *text_count(char text[TEXT_BYTES], uint64_t n);           /* 3,812 */
char *text_error(const struct screen *s, char text[TEXT_BYTES], const struct view_row *row);

/* Whether the count behind a row is known and too small to trust. */
bool text_is_unsure(const struct view *v, const struct view_row *row);

void summary_print(struct screen *s, const struct view *v);
void findings_print(struct screen *s, const struct view *v);
/* As much as Python itself: of a smaller program nobody asks where its memory is. */
#define PEAK_LEAST_MB 10.0
void peak_print(struct screen *s, const struct view *v);
void threads_print(struct screen *s, const struct view *v);
void gil_print(struct screen *s, const struct view *v);
void table_print(struct screen *s, const struct view *v, const struct view_file *file,
                 enum text_lines lines);

#endif
