/* test_fiber.c - fibers stop and go on where they were told to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/fiber.h"

enum { STACK = 64 << 10 };

/* What a fiber of these tests needs: where to switch to, and a text that all write into. */
struct writer {
    struct fiber fiber, *next;
    char name, *text;
    int times;
};

static void write_names(void *context)
{
    struct writer *writer = context;
    volatile char kept[1000]; /* must survive while others run */
    memset((void *)(uintptr_t)kept, writer->name, sizeof kept);
    for (int i = 0; i < writer->times; i++) {
        strncat(writer->text, (const char *)(uintptr_t)&kept[i], 1);
        fiber_switch(&writer->fiber, writer->next);
    }
}

static void test_turns(void **state)
{
    (void)state;
    struct fiber here = {0};
    char text[64] = "";
    struct writer a = {.next = &here, .name = 'a', .text = text, .times = 2};
    struct writer b = {.next = &here, .name = 'b', .text = text, .times = 1};
    assert_true(fiber_make(&a.fiber, STACK) && fiber_make(&b.fiber, STACK));
    fiber_start(&a.fiber, write_names, &a, &here);
    fiber_start(&b.fiber, write_names, &b, &here);
    while (!a.fiber.done || !b.fiber.done) {
        if (!a.fiber.done)
            fiber_switch(&here, &a.fiber);
        if (!b.fiber.done)
            fiber_switch(&here, &b.fiber);
        strcat(text, ".");
    }
    assert_string_equal(text, "ab.a..");
    fiber_free(&a.fiber);
    fiber_free(&b.fiber);
}

/* Round and round without coming back here in between. */
static void test_ring(void **state)
{
    enum { RING = 5 };
    (void)state;
    struct fiber here = {0};
    char text[64] = "";
    struct writer ring[RING];
    for (int i = 0; i < RING; i++) {
        ring[i] = (struct writer){.next = i + 1 < RING ? &ring[i + 1].fiber : &ring[0].fiber,
                                  .name = (char)('a' + i),
                                  .text = text,
                                  .times = 2};
        assert_true(fiber_make(&ring[i].fiber, STACK));
        fiber_start(&ring[i].fiber, write_names, &ring[i], &here);
    }
    fiber_switch(&here, &ring[0].fiber); /* a comes to its end first */
    assert_string_equal(text, "abcdeabcde");
    assert_true(ring[0].fiber.done);
    assert_false(ring[1].fiber.done);
    for (int i = 0; i < RING; i++)
        fiber_free(&ring[i].fiber);
}

/* A fiber is used again, after its end and in mid-course. */
static void test_again(void **state)
{
    (void)state;
    struct fiber here = {0};
    char text[64] = "";
    struct writer a = {.next = &here, .name = 'a', .text = text, .times = 1};
    assert_true(fiber_make(&a.fiber, STACK));
    for (int i = 0; i < 3; i++) {
        fiber_start(&a.fiber, write_names, &a, &here);
        while (!a.fiber.done)
            fiber_switch(&here, &a.fiber);
    }
    a.times = 9;
    for (int i = 0; i < 3; i++) {
        fiber_start(&a.fiber, write_names, &a, &here);
        fiber_switch(&here, &a.fiber);
        fiber_switch(&here, &a.fiber);
        assert_false(a.fiber.done);
        strcat(text, ".");
    }
    assert_string_equal(text, "aaaaa.aa.aa.");
    fiber_free(&a.fiber);
}

static void fill_stack(void *context)
{
    struct writer *writer = context;
    volatile char used[3 * STACK];
    memset((void *)(uintptr_t)used, writer->name, sizeof used);
    fiber_switch(&writer->fiber, writer->next);
    for (size_t i = 0; i < sizeof used; i += 61)
        assert_int_equal(used[i], writer->name);
}

/* Freed stacks serve again, each one fiber at a time, and only as large as they are; also those of
 * functions that were abandoned. */
static void test_stacks_serve_again(void **state)
{
    enum { MANY = 140 };
    (void)state;
    struct fiber here = {0};
    struct writer *all = calloc(MANY, sizeof *all);
    for (int round = 0; round < 4; round++) {
        size_t bytes = (round % 3 == 1 ? 8 : 4) * (size_t)STACK;
        for (int i = 0; i < MANY; i++) {
            all[i].name = (char)('A' + i % 50 + round);
            all[i].next = &here;
            assert_true(fiber_make(&all[i].fiber, bytes));
            assert_true(all[i].fiber.stack_bytes == bytes);
            fiber_start(&all[i].fiber, fill_stack, &all[i], &here);
            fiber_switch(&here, &all[i].fiber);
            assert_false(all[i].fiber.done);
        }
        for (int i = 0; i < MANY; i++) {
            if (i % 3)
                fiber_switch(&here, &all[i].fiber);
            assert_true(all[i].fiber.done == (i % 3 != 0));
            fiber_free(&all[i].fiber);
        }
    }
    free(all);
}

static void test_overflow(void **state)
{
    (void)state;
    struct fiber fiber = {0};
    assert_true(fiber_make(&fiber, 1)); /* rounded up to a page */
    assert_true(fiber.stack_bytes >= 4096);
    assert_false(fiber_overflowed(&fiber, fiber.stack));
    assert_true(fiber_overflowed(&fiber, fiber.stack - 1));
    assert_true(fiber_overflowed(&fiber, fiber.stack - 4096));
    assert_false(fiber_overflowed(&fiber, fiber.stack - (1 << 20)));
    assert_false(fiber_overflowed(&fiber, NULL));
    fiber_free(&fiber);
    assert_false(fiber_overflowed(&fiber, (void *)(uintptr_t)1));
    assert_false(fiber_make(&fiber, SIZE_MAX / 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),    cmocka_unit_test(test_ring),
        cmocka_unit_test(test_again),    cmocka_unit_test(test_stacks_serve_again),
        cmocka_unit_test(test_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
