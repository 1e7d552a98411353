/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memo.h"

#include "../check.h"

#include <stdbool.h>

static uint64_t hash_of(uint64_t question)
{
    return memo_hash(0, &question, 1);
}

static bool knows(struct memo *memo, uint64_t question)
{
    const struct memo_slot *slot = memo_slot(memo, hash_of(question));
    return slot->hash == hash_of(question) && slot->answer == 3 * question;
}

static void learn(struct memo *memo, uint64_t question)
{
    *memo_slot(memo, hash_of(question)) = (struct memo_slot){hash_of(question), 3 * question};
}

static size_t count_known(struct memo *memo, uint64_t n_questions)
{
    size_t n = 0;
    for (uint64_t i = 0; i < n_questions; i++)
        n += knows(memo, i);
    return n;
}

static void answers_are_remembered(void)
{
    struct memo memo = {0};
    CHECK(!knows(&memo, 7));
    learn(&memo, 7);
    CHECK(knows(&memo, 7) && !knows(&memo, 8));
    memo_clear(&memo);
    CHECK(!knows(&memo, 7));
    memo_fini(&memo);
}

static void few_questions_take_little_room(void)
{
    struct memo memo = {0};
    for (uint64_t i = 0; i < MEMO_SLOTS_MIN / 8; i++)
        learn(&memo, i);
    CHECK(memo.n_slots == MEMO_SLOTS_MIN);
    memo_fini(&memo);
}

static void many_questions_get_more_and_keep_their_answers(void)
{
    struct memo memo = {0};
    for (uint64_t i = 0; i < MEMO_SLOTS_MIN; i++)
        learn(&memo, i);
    CHECK(memo.n_slots > MEMO_SLOTS_MIN);
    /* A slot has one answer: of so many questions in four times the slots a tenth gets lost. */
    CHECK(count_known(&memo, MEMO_SLOTS_MIN) > MEMO_SLOTS_MIN * 3 / 4);
    for (uint64_t i = 0; i < 4 * (uint64_t)MEMO_SLOTS_MAX; i++)
        learn(&memo, i);
    CHECK(memo.n_slots == MEMO_SLOTS_MAX);
    memo_fini(&memo);
}

int main(void)
{
    RUN(answers_are_remembered);
    RUN(few_questions_take_little_room);
    RUN(many_questions_get_more_and_keep_their_answers);
    return 0;
}
