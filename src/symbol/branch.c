/* SPDX-License-Identifier: Apache-2.0 */
/* The x86-64 encodings of calls and jumps that compilers use between functions. */
#include "symbol/branch.h"

#include "symbol/eh_frame.h"
#include "symbol/plt.h"

/* A function that only passes a call on is short; longer ones are not searched a second time. */
#define PASSING_ON_BYTES 4096u

struct call branch_call_before(const struct elf_image *image, uint64_t return_address)
{
    struct call call = {.displacement = -1};
    const uint8_t *end = elf_code(image, return_address - 6, 6);
    if (!end)
        return call;
    end += 6;
    uint64_t stub = return_address + elf_displacement(end - 4);
    if (end[-5] == 0xe8 && elf_code(image, stub, 1)) { /* call rel32 */
        call.form = CALL_DIRECT;
        call.stub = stub;
        call.target = plt_target(image, stub);
    } else if (end[-6] == 0xff && end[-5] == 0x15) { /* call *slot(%rip) */
        call.target = plt_slot_target(image, stub);
        call.form = call.target ? CALL_DIRECT : CALL_INDIRECT;
        call.stub = call.target;
    } else {
        call.form = CALL_INDIRECT;
        if (end[-3] == 0xff && (end[-2] & 0xf8) == 0x50) /* call *disp8(register) */
            call.displacement = end[-1];
    }
    return call;
}

bool branch_is_after_syscall(const struct elf_image *image, uint64_t address)
{
    const uint8_t *bytes = elf_code(image, address - 2, 2);
    return bytes && bytes[0] == 0x0f && bytes[1] == 0x05;
}

/* Bytes of a jump with a 32-bit displacement that may begin here: 0 when none does. */
static inline unsigned jump_bytes(const uint8_t *at)
{
    if (*at == 0xe9)
        return 5;
    return *at == 0x0f && (at[1] & 0xf0) == 0x80 ? 6 : 0;
}

bool branch_next(struct branch_scan *scan)
{
    uint64_t n = elf_bytes_left(scan->image, scan->at);
    const uint8_t *start = elf_code(scan->image, scan->at, n);
    if (!start || n < 6 || scan->at >= scan->range.high)
        return false;
    /* A jump begins in the range; six bytes of it must be there to be read. */
    uint64_t n_starts = n - 5, left = scan->range.high - scan->at;
    const uint8_t *end = start + (n_starts < left ? n_starts : left);
    for (const uint8_t *at = start; at < end; at++) {
        unsigned n_bytes = jump_bytes(at);
        if (!n_bytes)
            continue;
        uint64_t from = scan->at + (uint64_t)(at - start);
        uint64_t target = from + n_bytes + elf_displacement(at + n_bytes - 4);
        if (!elf_holds(scan->image->text, target) || elf_holds(scan->range, target))
            continue;
        scan->target = target;
        scan->at = from + 1;
        return true;
    }
    return false;
}

bool branch_ends_at(const struct elf_image *image, uint64_t displacement)
{
    const uint8_t *before = elf_code(image, displacement - 2, 2);
    return before && (before[1] == 0xe8 || before[1] == 0xe9 ||
                      (before[0] == 0x0f && (before[1] & 0xf0) == 0x80));
}

static bool leads_to(const struct elf_image *image, uint64_t function, struct elf_range to,
                     int levels)
{
    struct elf_range range, next;
    if (!eh_frame_function(image, function, &range))
        return false;
    struct branch_scan scan = {.image = image, .range = range, .at = range.low};
    while (branch_next(&scan)) {
        uint64_t target = plt_target(image, scan.target);
        if (elf_holds(to, target))
            return true;
        if (levels > 1 && eh_frame_function(image, target, &next) && next.low == target &&
            next.high - next.low < PASSING_ON_BYTES && leads_to(image, target, to, levels - 1))
            return true;
    }
    return false;
}

bool branch_leads_to(const struct elf_image *image, uint64_t function, struct elf_range to)
{
    return leads_to(image, function, to, 2);
}
