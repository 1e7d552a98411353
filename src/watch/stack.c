/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/stack.h"

#include "frame/code.h"
#include "frame/walk.h"

#include <string.h>

struct code_key {
    uint64_t code, digest;
};

static void send_code(struct remote *remote, const struct py_layout *layout, uint64_t code,
                      uint32_t id, struct queue *queue, uint32_t process)
{
    struct memory memory = remote_memory(remote);
    struct code_description d;
    uint32_t size = (uint32_t)sizeof d.record;
    code_describe(&memory, layout, code, &d);
    for (int i = 0; i < CODE_TEXTS; i++)
        size += record_string_bytes(&d.strings[i]);
    struct record_code *record = queue_push(queue, process, RECORD_CODE, size);
    d.record.head = record->head;
    d.record.id = id;
    *record = d.record;
    unsigned char *to = (unsigned char *)(record + 1);
    for (int i = 0; i < CODE_TEXTS; i++) {
        remote_read(remote, d.texts[i], to, d.strings[i].n_chars * d.strings[i].width);
        to += record_string_bytes(&d.strings[i]);
    }
}

static uint32_t code_id(struct stack_codes *codes, struct remote *remote,
                        const struct py_layout *layout, uint64_t code, struct queue *queue,
                        uint32_t process)
{
    struct memory memory = remote_memory(remote);
    struct code_key key = {code, code_digest(&memory, layout, code)};
    bool is_new;
    size_t *id = map_at(&codes->ids, &key, sizeof key, &is_new);
    if (is_new) {
        *id = codes->ids.n;
        send_code(remote, layout, code, (uint32_t)*id | CODE_ID_OUTSIDE, queue, process);
    }
    return (uint32_t)*id | CODE_ID_OUTSIDE;
}

/* A thread's own memory points to its state; the state names the thread it belongs to. */
static uint64_t state_of(struct remote *remote, const struct py_layout *layout, uint64_t ident)
{
    struct memory memory = remote_memory(remote);
    if (!ident || layout->tstate_in_thread == LAYOUT_NONE)
        return 0;
    uint64_t state = memory_word(&memory, ident + (uint64_t)(int64_t)layout->tstate_in_thread);
    if (!state || memory_word(&memory, state + (uint64_t)layout->tstate_thread_id) != ident)
        return 0;
    return state;
}

void stack_read(struct stack *stack, struct remote *remote, struct remote_pages *pages,
                const struct py_layout *layout, uint64_t ident, struct stack_codes *codes,
                struct queue *queue, uint32_t process)
{
    struct memory memory = remote_memory(remote);
    struct walk_frame frame;
    stack->n = 0;
    remote_begin(remote, pages);
    uint64_t state = state_of(remote, layout, ident);
    if (!state)
        return;
    struct walk walk = walk_start(&memory, layout, state);
    while (stack->n < STACK_FRAMES_MAX && walk_next(&walk, &frame)) {
        uint32_t id = code_id(codes, remote, layout, frame.code, queue, process);
        stack->frames[stack->n++] = (struct record_frame){id, frame.instr};
    }
    remote_end(remote, pages);
}

void stack_codes_fini(struct stack_codes *codes)
{
    map_fini(&codes->ids);
}
