/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/queue.h"

void *queue_push(struct queue *queue, uint32_t process, enum record_kind kind, uint32_t size)
{
    size_t first = queue->words.n + 1;
    *vec_push(&queue->words) = process;
    for (uint32_t i = 0; i < size / 8; i++)
        *vec_push(&queue->words) = 0;
    struct record_header *head = (struct record_header *)(void *)&queue->words.items[first];
    *head = (struct record_header){.size = size, .kind = (uint16_t)kind};
    return head;
}

bool queue_take(struct queue *queue, uint32_t *process, const struct record_header **record)
{
    if (queue->at == queue->words.n) {
        queue->at = queue->words.n = 0;
        return false;
    }
    *process = (uint32_t)queue->words.items[queue->at];
    *record = (const void *)&queue->words.items[queue->at + 1];
    queue->at += 1 + (*record)->size / 8;
    return true;
}

void queue_fini(struct queue *queue)
{
    vec_fini(&queue->words);
}
