/* SPDX-License-Identifier: Apache-2.0 */
/* The judge on an interpreter made by hand: each test lays out a path of calls and asks. */
#include "analyze/judge.h"

#include "../check.h"
#include "../image.h"

#include <stdarg.h>

#define BIAS    UINT64_C(0x7f0000000000)
#define LIBC    UINT64_C(0x7e0000001000)
#define FOREIGN UINT64_C(0x7d0000001000)

/* Instructions of 3.12. */
enum { LOAD_CONST = 100, CALL = 171, CALL_PY_EXACT_ARGS = 23, CALL_LEN = 42 };

/* The functions of the image. */
enum { EVAL, VECTORCALL, VECTOR, HELPER, BODY, DISPATCH, DEALLOC, FREE, ENTERING, STUBS, PASSING };

static struct image image;
static struct elf_image elf;
static struct judge_cache cache;
static struct judge judge;

static const struct elf_image *image_of(void *context, const struct record_module *m,
                                        const char *path)
{
    (void)context, (void)m;
    return strncmp(path, "/lost/", 6) == 0 ? NULL : &elf;
}

static const struct profile_input input = {.image_of = image_of};

static uint64_t in(unsigned function, uint32_t offset)
{
    return BIAS + image_function(function) + offset;
}

static void add_module(uint64_t low, const char *path)
{
    struct record_module record = {.low = low, .high = low + 0x2000, .bias = low - IMAGE_CODE};
    judge_add_module(&judge, &record, path);
}

static void begin_at(const char *interpreter_path)
{
    static const struct record_probe probes[] = {
        {BIAS + IMAGE_CODE + EVAL * IMAGE_FUNCTION_BYTES, PROBE_EVAL, 0},
        {BIAS + IMAGE_CODE + VECTORCALL * IMAGE_FUNCTION_BYTES, PROBE_PYTHON, 0},
        {BIAS + IMAGE_CODE + DISPATCH * IMAGE_FUNCTION_BYTES, PROBE_DISPATCH, 0},
        {BIAS + IMAGE_CODE + DEALLOC * IMAGE_FUNCTION_BYTES, PROBE_DEALLOC, 0},
        {1, 999, 0},
    };
    struct record_interpreter record = {.hexversion = 0x030c01f0, .n_eval_parts = 1};
    image_make(&image);
    image_branch(&image, image_function(VECTORCALL) + 50, 0xe9, image_function(VECTOR));
    image_branch(&image, image_function(ENTERING) + 60, 0xe8, image_function(EVAL));
    judge = (struct judge){.input = &input, .cache = &cache};
    record.eval_parts[0].low = in(EVAL, 0);
    record.eval_parts[0].high = in(EVAL, IMAGE_FUNCTION_BYTES);
    memcpy(record.probes, probes, sizeof probes);
    record.n_probes = sizeof probes / sizeof *probes;
    add_module(BIAS + IMAGE_CODE, interpreter_path);
    add_module(LIBC, "/lib/libc.so.6");
    add_module(FOREIGN, "/lib/numpy/core.so");
    judge_add_interpreter(&judge, &record);
}

static void begin(void)
{
    begin_at("/usr/lib/libpython3.12.so");
}

static void end(void)
{
    judge_fini(&judge);
    judge_cache_fini(&cache);
    elf_fini(&elf);
    cache = (struct judge_cache){0};
}

/* PCs from the interrupted one outward, ended by 0. */
static enum verdict ask_flags(uint16_t flags, uint8_t opcode, const uint64_t *pcs)
{
    struct record_sample sample = {.head = {.flags = flags}, .opcode = opcode};
    while (pcs[sample.n_pcs])
        sample.n_pcs++;
    elf_fini(&elf);
    CHECK(elf_parse(&elf, image.bytes, sizeof image.bytes));
    enum verdict verdict = judge_python_thread(&judge, &sample, pcs);
    CHECK(judge_python_thread(&judge, &sample, pcs) == verdict); /* from memory */
    return verdict;
}

#define ASK(opcode, ...) ask_flags(SAMPLE_REACHED_EVAL, opcode, (const uint64_t[]){__VA_ARGS__, 0})

/* A call written into a function; the return address it leaves. */
static uint64_t call_from(unsigned function, uint32_t offset, unsigned to)
{
    return BIAS + image_branch(&image, image_function(function) + offset, 0xe8, image_function(to));
}

static uint64_t pointer_from(unsigned function, uint32_t offset, uint8_t displacement)
{
    return BIAS + image_call_pointer(&image, image_function(function) + offset, displacement);
}

static void evaluation_loop_is_python(void)
{
    begin();
    CHECK(ASK(CALL, in(EVAL, 7)) == VERDICT_PYTHON);
    CHECK(ASK(LOAD_CONST, in(EVAL, 0)) == VERDICT_PYTHON);
    end();
}

static void instructions_that_do_not_call_are_python_unless_foreign_code_runs(void)
{
    begin();
    uint64_t back = pointer_from(EVAL, 0x10, 8);
    CHECK(ASK(LOAD_CONST, in(BODY, 4), back) == VERDICT_HELPER);
    CHECK(ASK(CALL_PY_EXACT_ARGS, in(BODY, 4), back) == VERDICT_PYTHON);
    CHECK(ASK(LOAD_CONST, LIBC + 8, in(BODY, 4), back) == VERDICT_HELPER);
    CHECK(ASK(LOAD_CONST, FOREIGN + 8, in(BODY, 4), back) == VERDICT_NATIVE);
    CHECK(ASK(LOAD_CONST, LIBC + 8, FOREIGN + 8, back) == VERDICT_NATIVE);
    end();
}

static void body_called_through_a_pointer_is_native(void)
{
    begin();
    uint64_t helper = call_from(EVAL, 0x10, HELPER), body = pointer_from(HELPER, 0x10, 8);
    CHECK(ASK(CALL, in(HELPER, 4), helper) == VERDICT_PYTHON);
    CHECK(ASK(CALL, in(BODY, 4), body, helper) == VERDICT_NATIVE);
    CHECK(ASK(CALL, LIBC + 4, body, helper) == VERDICT_PYTHON);
    uint64_t copy = call_from(BODY, 0x20, FREE);
    CHECK(ASK(CALL, LIBC + 4, copy, body, helper) == VERDICT_NATIVE);
    CHECK(ASK(CALL, FOREIGN + 4, helper) == VERDICT_NATIVE);
    end();
}

static void body_of_a_specialised_builtin_is_native_though_called_directly(void)
{
    begin();
    uint64_t back = call_from(EVAL, 0x10, HELPER);
    CHECK(ASK(CALL_LEN, in(HELPER, 4), back) == VERDICT_NATIVE);
    end();
}

static void dispatchers_pass_the_question_on(void)
{
    begin();
    uint64_t dispatch = pointer_from(EVAL, 0x10, 8), body = pointer_from(DISPATCH, 0x10, 8);
    CHECK(ASK(CALL, in(DISPATCH, 4), dispatch) == VERDICT_PYTHON);
    CHECK(ASK(CALL, in(BODY, 4), body, dispatch) == VERDICT_NATIVE);
    end();
}

static void entry_of_a_python_function_is_python_even_below_a_body(void)
{
    begin();
    uint64_t body = pointer_from(EVAL, 0x10, 8), entry = pointer_from(BODY, 0x10, 8);
    CHECK(ASK(CALL, in(VECTORCALL, 4), entry, body) == VERDICT_PYTHON);
    CHECK(ASK(CALL, in(VECTOR, 4), entry, body) == VERDICT_PYTHON); /* it is jumped to */
    CHECK(ASK(CALL, in(PASSING, 4), entry, body) == VERDICT_NATIVE);
    end();
}

static void function_that_enters_the_loop_begins_anew(void)
{
    begin();
    uint64_t body = pointer_from(EVAL, 0x10, 8), entering = pointer_from(BODY, 0x10, 8);
    uint64_t helper = call_from(ENTERING, 0x10, HELPER), other = pointer_from(ENTERING, 0x20, 8);
    CHECK(ASK(CALL, in(ENTERING, 4), entering, body) == VERDICT_PYTHON);
    CHECK(ASK(CALL, in(HELPER, 4), helper, entering, body) == VERDICT_PYTHON);
    CHECK(ASK(CALL, in(BODY, 4), other, entering, body) == VERDICT_NATIVE);
    end();
}

static void return_address_belongs_to_the_function_that_ends_there(void)
{
    begin();
    uint64_t entering = pointer_from(EVAL, 0x10, 8);
    uint64_t last = call_from(ENTERING, IMAGE_FUNCTION_BYTES - 5, HELPER);
    CHECK(last == in(ENTERING + 1, 0));
    CHECK(ASK(CALL, in(HELPER, 4), last, entering) == VERDICT_PYTHON);
    end();
}

static void freeing_an_object_is_python(void)
{
    begin();
    uint64_t by_slot = pointer_from(EVAL, 0x10, 0x30), other_slot = pointer_from(EVAL, 0x20, 0x38);
    CHECK(ASK(CALL, in(FREE, 4), by_slot) == VERDICT_PYTHON);
    CHECK(ASK(CALL, in(FREE, 4), other_slot) == VERDICT_NATIVE);
    uint64_t dealloc = call_from(EVAL, 0x30, DEALLOC), freeing = pointer_from(DEALLOC, 0x10, 0x30);
    CHECK(ASK(CALL, in(FREE, 4), freeing, dealloc) == VERDICT_PYTHON);
    /* What the body of a native function frees is its own work. */
    uint64_t body = pointer_from(EVAL, 0x40, 8), in_body = pointer_from(BODY, 0x10, 0x30);
    CHECK(ASK(CALL, in(FREE, 4), in_body, body) == VERDICT_NATIVE);
    end();
}

static void stubs_and_jumps_are_direct_calls(void)
{
    begin();
    image_stub(&image, image_function(STUBS) + 0x20, HELPER);
    uint64_t through_stub = BIAS + image_branch(&image, image_function(EVAL) + 0x10, 0xe8,
                                                image_function(STUBS) + 0x20);
    CHECK(ASK(CALL, in(HELPER, 4), through_stub) == VERDICT_PYTHON);
    CHECK(ASK(CALL, in(STUBS, 0x20), through_stub) == VERDICT_PYTHON);
    image_branch(&image, image_function(PASSING) + 9, 0xe9, image_function(BODY));
    uint64_t passing = call_from(EVAL, 0x20, PASSING);
    CHECK(ASK(CALL, in(BODY, 4), passing) == VERDICT_PYTHON);
    CHECK(ASK(CALL, in(FREE, 4), passing) == VERDICT_NATIVE);
    end();
}

static void after_a_system_call_is_system(void)
{
    begin();
    image.bytes[image_function(0) + 0x40] = 0x0f;
    image.bytes[image_function(0) + 0x41] = 0x05;
    uint64_t back = call_from(EVAL, 0x10, HELPER), pcs[] = {LIBC + 0x42, 0};
    CHECK(ASK(CALL, LIBC + 0x42, back) == VERDICT_SYSTEM);
    CHECK(ASK(LOAD_CONST, LIBC + 0x42, back) == VERDICT_SYSTEM);
    CHECK(ASK(LOAD_CONST, LIBC + 0x43, back) == VERDICT_HELPER);
    struct record_sample sample = {.n_pcs = 1};
    CHECK(judge_native_thread(&judge, &sample, pcs) == VERDICT_SYSTEM);
    pcs[0]++;
    CHECK(judge_native_thread(&judge, &sample, pcs) == VERDICT_NATIVE);
    end();
}

static void path_that_was_lost_is_judged_by_modules_and_instruction(void)
{
    begin();
    const uint64_t inside[] = {in(BODY, 4), in(HELPER, 9), 0}, outside[] = {FOREIGN, 0},
                   none[] = {0};
    CHECK(ask_flags(0, CALL, inside) == VERDICT_NATIVE);
    CHECK(ask_flags(0, LOAD_CONST, inside) == VERDICT_PYTHON);
    CHECK(ask_flags(0, LOAD_CONST, outside) == VERDICT_NATIVE);
    CHECK(ask_flags(0, LOAD_CONST, none) == VERDICT_PYTHON);
    CHECK(ask_flags(SAMPLE_REACHED_EVAL, CALL, none) == VERDICT_NATIVE);
    /* The flag is not believed when the last PC is elsewhere. */
    CHECK(ask_flags(SAMPLE_REACHED_EVAL, LOAD_CONST, inside) == VERDICT_PYTHON);
    end();
}

static void code_of_no_file_is_native(void)
{
    begin();
    uint64_t back = call_from(EVAL, 0x10, HELPER);
    CHECK(ASK(LOAD_CONST, UINT64_C(0x1234), back) == VERDICT_NATIVE);
    CHECK(ASK(CALL, UINT64_C(0x1234), back) == VERDICT_NATIVE);
    end();
}

static void interpreter_whose_file_is_gone_is_judged_without(void)
{
    begin_at("/lost/libpython3.12.so");
    uint64_t back = call_from(EVAL, 0x10, HELPER);
    CHECK(ASK(CALL, in(EVAL, 4)) == VERDICT_PYTHON);
    CHECK(ASK(LOAD_CONST, in(HELPER, 4), back) == VERDICT_HELPER);
    CHECK(ASK(CALL, in(HELPER, 4), back) == VERDICT_NATIVE);
    CHECK(ASK(LOAD_CONST, FOREIGN, back) == VERDICT_NATIVE);
    end();
}

static void new_module_takes_the_place_of_an_old_one(void)
{
    begin();
    uint64_t back = call_from(EVAL, 0x10, HELPER);
    CHECK(ASK(LOAD_CONST, FOREIGN + 4, back) == VERDICT_NATIVE);
    add_module(FOREIGN - 0x1000, "/lib/libm.so.6");
    CHECK(ASK(LOAD_CONST, FOREIGN + 4, back) == VERDICT_HELPER);
    CHECK(judge.modules.n == 3);
    end();
}

int main(void)
{
    RUN(evaluation_loop_is_python);
    RUN(instructions_that_do_not_call_are_python_unless_foreign_code_runs);
    RUN(body_called_through_a_pointer_is_native);
    RUN(body_of_a_specialised_builtin_is_native_though_called_directly);
    RUN(dispatchers_pass_the_question_on);
    RUN(entry_of_a_python_function_is_python_even_below_a_body);
    RUN(function_that_enters_the_loop_begins_anew);
    RUN(return_address_belongs_to_the_function_that_ends_there);
    RUN(freeing_an_object_is_python);
    RUN(stubs_and_jumps_are_direct_calls);
    RUN(after_a_system_call_is_system);
    RUN(path_that_was_lost_is_judged_by_modules_and_instruction);
    RUN(code_of_no_file_is_native);
    RUN(interpreter_whose_file_is_gone_is_judged_without);
    RUN(new_module_takes_the_place_of_an_old_one);
    return 0;
}
