/* SPDX-License-Identifier: Apache-2.0 */
/* RECORD_RUN: what was asked for, as the first record of every run. */
#ifndef SCALENE_COLLECT_RUN_RECORD_H
#define SCALENE_COLLECT_RUN_RECORD_H

#include "base/arena.h"
#include "collect/collect.h"

const struct record_header *run_record(struct arena *arena, const struct collect_run *run);

#endif
