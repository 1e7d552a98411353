/* SPDX-License-Identifier: Apache-2.0 */
/* The colours of Python code. */
#ifndef SCALENE_REPORT_HIGHLIGHT_H
#define SCALENE_REPORT_HIGHLIGHT_H

#include <stddef.h>
#include <stdint.h>

/* Gives every byte of a whole file its paint (enum paint). */
void highlight(uint8_t *paints, const char *text, size_t n_bytes);

#endif
