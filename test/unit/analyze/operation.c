/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/operation.h"

#include "../check.h"

static struct operations operations;

/* n samples on one instruction, as many of them outside the evaluation loop. */
static uint32_t count(struct code *code, int32_t instr, int n, int n_helper)
{
    uint32_t id = 0;
    for (int i = 0; i < n; i++)
        id = operations_count(&operations, code, instr,
                              i < n_helper ? OPERATION_HELPER : OPERATION_ELSEWHERE);
    return id;
}

static bool is_long(uint32_t id)
{
    return operation_is_long(&operations.items[id]);
}

static void instruction_far_above_the_others_is_one_long_operation(void)
{
    static struct code code, other;
    uint32_t multiply = count(&code, 8, 900, 890);
    uint32_t add = count(&code, 12, 2, 2);
    count(&code, 16, 4, 0);
    CHECK(is_long(multiply) && !is_long(add));
    count(&other, 8, 900, 0); /* another function's instruction is no measure */
    CHECK(is_long(multiply));
    count(&code, 16, 30, 0);
    CHECK(!is_long(multiply));
}

static void ordinary_code_has_none(void)
{
    static struct code code;
    uint32_t iterate = count(&code, 2, 1000, 950);
    count(&code, 4, 45, 0);
    CHECK(!is_long(iterate));
}

static void few_samples_prove_nothing(void)
{
    static struct code code;
    uint32_t alone = count(&code, 2, 29, 29);
    CHECK(!is_long(alone));
    count(&code, 2, 71, 71);
    CHECK(is_long(alone));
}

/* A slice that copies a megabyte, and two instructions that happened to be met. */
static void instruction_that_is_in_the_library_nearly_always_is_long_sooner(void)
{
    static struct code code, ordinary;
    uint32_t slice = 0, text = 0;
    for (int i = 0; i < 60; i++)
        slice = operations_count(&operations, &code, 42,
                                 i < 5 ? OPERATION_ELSEWHERE : OPERATION_LIBRARY);
    count(&code, 46, 2, 0);
    count(&code, 18, 1, 0);
    CHECK(is_long(slice));
    count(&code, 18, 3, 0);
    CHECK(!is_long(slice));
    for (int i = 0; i < 60; i++)
        text = operations_count(&operations, &ordinary, 42,
                                i % 3 ? OPERATION_HELPER : OPERATION_LIBRARY);
    count(&ordinary, 46, 2, 0);
    count(&ordinary, 18, 1, 0);
    CHECK(!is_long(text));
}

static void evaluation_loop_is_no_long_operation(void)
{
    static struct code code;
    CHECK(!is_long(count(&code, 2, 1000, 10)));
}

int main(void)
{
    RUN(instruction_far_above_the_others_is_one_long_operation);
    RUN(ordinary_code_has_none);
    RUN(few_samples_prove_nothing);
    RUN(instruction_that_is_in_the_library_nearly_always_is_long_sooner);
    RUN(evaluation_loop_is_no_long_operation);
    operations_fini(&operations);
    return 0;
}
