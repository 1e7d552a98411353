/* SPDX-License-Identifier: Apache-2.0 */
/* The loads that may fault, and what is built from them. */
#include "agent/peek.h"

#include "agent/agent.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/safe.h"

/* One load in a function of its own, so that a fault in it is known by its address. The second
 * word of the result says whether it faulted. */
struct peeked {
    uint64_t value, is_fault;
};
struct peeked peek_load(uint64_t address);
extern const char peek_load_at[], peek_load_failed[];

__asm__(".text\n"
        ".hidden peek_load, peek_load_at, peek_load_failed\n"
        ".globl peek_load, peek_load_at, peek_load_failed\n"
        ".type peek_load, @function\n"
        "peek_load:\n"
        ".cfi_startproc\n"
        "    xorl %edx, %edx\n"
        "peek_load_at:\n"
        "    movq (%rdi), %rax\n"
        "    ret\n"
        "peek_load_failed:\n"
        "    xorl %eax, %eax\n"
        "    movl $1, %edx\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size peek_load, .-peek_load\n");

/* Whole words, two at a time: what frames and code objects are read with, so that a sample of a
 * deep stack does not take a call for each of their words. All of its loads lie between the two
 * labels; none touches a byte that was not asked for. */
bool peek_copy(void *to, uint64_t from, size_t n_words);
extern const char peek_copy_begin[], peek_copy_end[], peek_copy_failed[];

__asm__(".text\n"
        ".hidden peek_copy, peek_copy_begin, peek_copy_end, peek_copy_failed\n"
        ".globl peek_copy, peek_copy_begin, peek_copy_end, peek_copy_failed\n"
        ".type peek_copy, @function\n"
        "peek_copy:\n"
        ".cfi_startproc\n"
        "    shrq $1, %rdx\n"
        "    jnc 2f\n"
        "peek_copy_begin:\n"
        "    movq (%rsi), %rax\n"
        "    movq %rax, (%rdi)\n"
        "    addq $8, %rsi\n"
        "    addq $8, %rdi\n"
        "2:  testq %rdx, %rdx\n"
        "    jz 4f\n"
        "3:  movups (%rsi), %xmm0\n"
        "    movups %xmm0, (%rdi)\n"
        "    addq $16, %rsi\n"
        "    addq $16, %rdi\n"
        "    subq $1, %rdx\n"
        "    jnz 3b\n"
        "peek_copy_end:\n"
        "4:  movl $1, %eax\n"
        "    ret\n"
        "peek_copy_failed:\n"
        "    xorl %eax, %eax\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size peek_copy, .-peek_copy\n");

uint64_t peek_recover(uint64_t pc)
{
    if (pc == (uint64_t)(uintptr_t)peek_load_at)
        return (uint64_t)(uintptr_t)peek_load_failed;
    if (pc >= (uint64_t)(uintptr_t)peek_copy_begin && pc < (uint64_t)(uintptr_t)peek_copy_end)
        return (uint64_t)(uintptr_t)peek_copy_failed;
    return 0;
}

/* Addresses no user memory can have: not worth a fault. */
static bool is_hopeless(uint64_t address)
{
    return address < 4096 || address >= (uint64_t)1 << 47;
}

bool peek_u64(uint64_t address, uint64_t *out)
{
    *out = 0;
    if (is_hopeless(address))
        return false;
    struct peeked p = peek_load(address);
    if (p.is_fault)
        agent_count(COUNTER_FAULTS, 1);
    *out = p.value;
    return !p.is_fault;
}

static bool copy_words(uint64_t address, void *out, size_t n_bytes)
{
    bool is_read = !is_hopeless(address) && !is_hopeless(address + n_bytes);
    if (is_read && !peek_copy(out, address, n_bytes / 8)) {
        agent_count(COUNTER_FAULTS, 1);
        is_read = false;
    }
    if (!is_read)
        memset(out, 0, n_bytes);
    return is_read;
}

bool peek_bytes(uint64_t address, void *out, size_t n_bytes)
{
    uint8_t *to = out;
    if (n_bytes && n_bytes % 8 == 0)
        return copy_words(address, out, n_bytes);
    while (n_bytes) {
        uint64_t word;
        size_t skip = address & 7, n = 8 - skip < n_bytes ? 8 - skip : n_bytes;
        if (!peek_u64(address - skip, &word)) {
            memset(to, 0, n_bytes);
            return false;
        }
        memcpy(to, (const uint8_t *)&word + skip, n);
        to += n;
        address += n;
        n_bytes -= n;
    }
    return true;
}

static bool read_memory(void *context, uint64_t address, void *out, size_t n_bytes)
{
    (void)context;
    return peek_bytes(address, out, n_bytes);
}

const struct memory peek_memory = {.read = read_memory};

bool peek_u32(uint64_t address, uint32_t *out)
{
    return peek_bytes(address, out, sizeof *out);
}

bool peek_u8(uint64_t address, uint8_t *out)
{
    return peek_bytes(address, out, sizeof *out);
}

uint8_t peek_next_u8(struct peek_reader *r)
{
    if (r->at >= r->end)
        r->has_failed = true;
    if (r->has_failed)
        return 0;
    uint64_t aligned = r->at & ~(uint64_t)7;
    if (r->word_at != aligned) {
        r->word_at = aligned;
        if (!peek_u64(aligned, &r->word))
            r->has_failed = true;
    }
    uint8_t byte = (uint8_t)(r->word >> 8 * (r->at & 7));
    r->at++;
    return byte;
}

uint64_t peek_next(struct peek_reader *r, unsigned n_bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n_bytes; i++)
        value |= (uint64_t)peek_next_u8(r) << 8 * i;
    return value;
}

uint64_t peek_next_uleb(struct peek_reader *r)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = peek_next_u8(r);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

int64_t peek_next_sleb(struct peek_reader *r)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = peek_next_u8(r);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if ((byte & 0x40) && shift < 64)
        value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
}

uint64_t peek_let_faults_in(void)
{
    uint64_t faults = (uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGBUS - 1), before = 0;
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &faults, &before, sizeof faults);
    return before & faults;
}

void peek_keep_faults_out(uint64_t faults)
{
    if (faults)
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, &faults, NULL, sizeof faults);
}
