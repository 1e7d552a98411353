/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the machine stack of the interrupted thread by the rules of cfi.c. */
#include "agent/unwind.h"

#include "agent/cfi.h"
#include "agent/modules.h"
#include "agent/peek.h"

#include <stddef.h>
#include <ucontext.h>

#include "agent/safe.h"

#define FRAME_BYTES_MAX (8u << 20) /* a frame larger than the usual whole stack is nonsense */

struct unwind_target unwind_target;

struct registers {
    uint64_t pc, sp;
    uint64_t saved[CFI_REGISTERS];
};

bool unwind_is_eval(uint64_t pc)
{
    for (uint32_t i = 0; i < unwind_target.n_parts; i++)
        if (pc >= unwind_target.parts[i].low && pc < unwind_target.parts[i].high)
            return true;
    return false;
}

static bool frame_address(const struct cfi_row *row, const struct registers *r, uint64_t *out)
{
    static const uint8_t register_of[] = {
        [CFI_BASE_RBP] = CFI_RBP, [CFI_BASE_RBX] = CFI_RBX, [CFI_BASE_R12] = CFI_R12,
        [CFI_BASE_R13] = CFI_R13, [CFI_BASE_R14] = CFI_R14, [CFI_BASE_R15] = CFI_R15};
    if (row->base == CFI_NO_RULE)
        return false;
    if (row->base == CFI_BASE_PLT)
        *out = r->sp + 8 + ((r->pc & 15) >= 11 ? 8 : 0);
    else if (row->base == CFI_BASE_RSP)
        *out = r->sp + (uint64_t)(int64_t)row->offset;
    else
        *out = r->saved[register_of[row->base]] + (uint64_t)(int64_t)row->offset;
    return *out > r->sp && *out - r->sp <= FRAME_BYTES_MAX && *out % 8 == 0;
}

/* A handler of the program returns to code of the libc that gives the kernel back what it saved of
 * the interrupted code: mov $15 (rt_sigreturn), %rax; syscall. The stack pointer is at a ucontext_t
 * then. The interrupted PC is made to look like a return address, behind its instruction. */
static bool step_out_of_handler(struct registers *r)
{
    static const uint8_t saved_in[CFI_REGISTERS] = {
        [CFI_RBX] = REG_RBX, [CFI_RBP] = REG_RBP, [CFI_R12] = REG_R12,
        [CFI_R13] = REG_R13, [CFI_R14] = REG_R14, [CFI_R15] = REG_R15};
    const uint64_t sigreturn = 0x0f0000000fc0c748;
    uint64_t code;
    gregset_t registers;
    if (!peek_u64(r->pc, &code) || code != sigreturn ||
        !peek_bytes(r->sp + offsetof(ucontext_t, uc_mcontext.gregs), registers, sizeof registers))
        return false;
    for (int i = 0; i < CFI_REGISTERS; i++)
        r->saved[i] = (uint64_t)registers[saved_in[i]];
    r->sp = (uint64_t)registers[REG_RSP];
    r->pc = (uint64_t)registers[REG_RIP] + 1;
    return true;
}

/* From a frame to its caller's. `at` is an address inside the current instruction. */
static bool step(struct registers *r, uint64_t at)
{
    struct module module;
    uint64_t frame;
    if (!modules_find(at, &module))
        return false;
    struct cfi_row row = cfi_find(&module, at);
    if (!frame_address(&row, r, &frame))
        return step_out_of_handler(r);
    for (int i = 0; i < CFI_REGISTERS; i++) {
        uint64_t from = frame - 8 * (uint64_t)row.saved[i];
        /* Below the stack pointer it has been popped already: the register holds it. */
        if (row.saved[i] && from >= r->sp && !peek_u64(from, &r->saved[i]))
            return false;
    }
    r->sp = frame;
    return peek_u64(frame - 8, &r->pc) && r->pc != 0;
}

unsigned unwind(const void *ucontext, uint64_t *pcs, unsigned max, bool *has_reached)
{
    const greg_t *g = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
    struct registers r = {.pc = (uint64_t)g[REG_RIP],
                          .sp = (uint64_t)g[REG_RSP],
                          .saved = {(uint64_t)g[REG_RBX], (uint64_t)g[REG_RBP],
                                    (uint64_t)g[REG_R12], (uint64_t)g[REG_R13],
                                    (uint64_t)g[REG_R14], (uint64_t)g[REG_R15]}};
    *has_reached = false;
    for (unsigned n = 0; n < max;) {
        /* A return address stands behind its call, perhaps already in the next function. */
        uint64_t at = n ? r.pc - 1 : r.pc;
        pcs[n++] = r.pc;
        *has_reached = unwind_is_eval(at);
        if (*has_reached || !step(&r, at))
            return n;
    }
    return max;
}
