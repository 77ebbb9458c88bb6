/* test_host_checker.c - the host backend finds what is wrong with a kernel, and says where.
 *
 * Each kernel below commits one fault; the test expects one line that names kernel, stage, round
 * and thread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/kernel.h"

STAGES(first, second)

#define FAULTY(name)                                                                               \
    struct name {                                                                                  \
        int unused;                                                                                \
    };                                                                                             \
    KERNEL(name)

FAULTY(out_of_bounds)
{
    SHARED(int, tile, 8);
    STAGE(second);
    ROUND(3);
    if (threadIdx.x == 5)
        STORE(tile, 8, 1);
}

FAULTY(below_bounds)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE(tile, (int)threadIdx.x - 1, 1);
}

FAULTY(unwritten)
{
    SHARED(int, tile, 8);
    STAGE(first);
    if (threadIdx.x != 2)
        STORE(tile, threadIdx.x, 1);
    __syncthreads();
    STAGE(second);
    ROUND(1);
    (void)LOAD(tile, threadIdx.x);
}

FAULTY(write_write)
{
    SHARED(int, tile, 8);
    STAGE(first);
    ROUND(2);
    STORE(tile, (int)threadIdx.x % 4, 1);
}

FAULTY(write_read)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
    STAGE(second);
    ROUND(4);
    (void)LOAD(tile, 0);
}

/* Threads 0 and 1 read word 7; then thread 7, with no barrier since, writes it. */
FAULTY(read_write)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
    __syncthreads();
    STAGE(second);
    if (threadIdx.x < 2)
        (void)LOAD(tile, 7);
    ROUND(1);
    if (threadIdx.x == 7)
        STORE(tile, 7, 2);
}

/* A warp barrier orders the lanes of a warp, not two warps. */
FAULTY(other_warp)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
    SYNC_WARP(4);
    STAGE(second);
    (void)LOAD(tile, ((int)threadIdx.x + 4) % 8);
}

FAULTY(same_warp)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
    SYNC_WARP(4);
    STAGE(second);
    (void)LOAD(tile, (int)threadIdx.x ^ 1);
}

FAULTY(half_barrier)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
    if (threadIdx.x < 3)
        __syncthreads();
}

FAULTY(two_barriers)
{
    STAGE(second);
    if (threadIdx.x < 3)
        __syncthreads();
    else
        __syncthreads();
}

FAULTY(two_barriers_and_the_end)
{
    STAGE(second);
    if (threadIdx.x < 3)
        __syncthreads();
    else if (threadIdx.x % 2)
        __syncthreads();
}

FAULTY(two_instructions)
{
    SHARED(int, tile, 16);
    STAGE(second);
    ROUND(6);
    if (threadIdx.x < 2)
        STORE(tile, threadIdx.x, 1);
    else
        STORE(tile, 8 + (int)threadIdx.x, 1);
}

FAULTY(branch_slots)
{
    SHARED(int, tile, 16);
    STAGE(second);
    ROUND(6);
    if (threadIdx.x < 2) {
        STORE(tile, threadIdx.x, 1);
    } else {
        SLOT(1);
        STORE(tile, 8 + (int)threadIdx.x, 1);
    }
}

FAULTY(twice)
{
    SHARED(int, tile, 8);
    STAGE(second);
    for (int i = 0; i < 2; i++) {
        ROUND(5);
        STORE(tile, threadIdx.x, i);
    }
}

FAULTY(too_much)
{
    SHARED(int, tile, 100000);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
}

FAULTY(loops)
{
    SHARED(int, tile, 8);
    STAGE(first);
    for (int i = 0;; i++)
        STORE(tile, threadIdx.x, i);
}

FAULTY(stray)
{
    int stack[4];
    SHARED(int, tile, 8);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
    STORE(stack, 0, 1);
}

FAULTY(guarded)
{
    SHARED(int, tile, 9);
    GUARD(tile, 8, 1);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
    __syncthreads();
    STAGE(second);
    (void)LOAD(tile, (int)threadIdx.x + 1);
}

/* What block 0 leaves behind is not there in block 1. */
FAULTY(guarded_again)
{
    SHARED(int, tile, 9);
    GUARD(tile, 8, 1);
    STAGE(first);
    ROUND(blockIdx.x);
    if (threadIdx.x == 0 && blockIdx.x == 0)
        STORE(tile, 8, 100);
    else if (threadIdx.x == 0)
        STORE(tile, LOAD(tile, 8), 1);
}

FAULTY(bad_tag)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE_TAG(tile, threadIdx.x, 1, (char)(threadIdx.x == 3 ? 0 : 'A'));
}

FAULTY(sizes_differ)
{
    SHARED(int, tile, threadIdx.x == 5 ? 16 : 8);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
}

FAULTY(sizes_shrink)
{
    SHARED(int, tile, threadIdx.x == 5 ? 8 : 16);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
}

FAULTY(types_differ)
{
    STAGE(first);
    if (threadIdx.x == 5) {
        SHARED(short, tile, 8);
        (void)tile;
    } else {
        SHARED(int, tile, 8);
        (void)tile;
    }
}

/* An array begins at a multiple of its elements' bytes: at 8, after three bytes. */
FAULTY(aligned)
{
    SHARED(char, bytes, 3);
    SHARED(long long, wide, 2);
    STAGE(first);
    if (threadIdx.x < 2)
        STORE(wide, threadIdx.x, 1);
    SLOT(1);
    if (threadIdx.x < 3)
        STORE(bytes, threadIdx.x, 1);
}

FAULTY(odd_elements)
{
    struct three {
        int x, y, z;
    };
    SHARED(struct three, tile, 2);
    (void)tile;
}

FAULTY(stage_too_high)
{
    SHARED(int, tile, 8);
    STAGE(second + 1);
    ROUND(2);
    STORE(tile, threadIdx.x, 1);
}

FAULTY(stage_too_low)
{
    STAGE(first - 1);
    if (threadIdx.x < 3)
        __syncthreads();
}

/* A load and a store in one line of code. */
#define EITHER(condition, one, other)                                                              \
    if (condition)                                                                                 \
        one;                                                                                       \
    else                                                                                           \
        other

FAULTY(load_and_store)
{
    SHARED(int, tile, 16);
    GUARD(tile, 8, 8);
    STAGE(second);
    EITHER(threadIdx.x < 2, STORE(tile, threadIdx.x, 1), (void)LOAD(tile, 8 + (int)threadIdx.x));
}

FAULTY(two_widths)
{
    const int2 two = {0, 0};
    SHARED(int, tile, 16);
    int t = threadIdx.x;
    STAGE(second);
    EITHER(t < 2, STORE(tile, t, 1), STORE((int2 *)tile, t, two));
}

FAULTY(guard_above)
{
    SHARED(int, tile, 8);
    STAGE(first);
    GUARD(tile, 7, 2);
}

FAULTY(guard_below)
{
    SHARED(int, tile, 8);
    STAGE(first);
    GUARD(tile, -1, 1);
}

FAULTY(guard_negative)
{
    SHARED(int, tile, 8);
    STAGE(first);
    GUARD(tile, 4, -1);
}

FAULTY(guard_nothing)
{
    SHARED(int, tile, 8);
    STAGE(first);
    GUARD(tile, 8, 0);
}

FAULTY(guard_stray)
{
    int stack[4] = {0};
    STAGE(first);
    GUARD(stack, 0, 1);
}

/* Both warps read word 0; the thread of the first warp that writes it races with the second. */
FAULTY(read_by_both)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE(tile, threadIdx.x, 1);
    __syncthreads();
    STAGE(second);
    if (threadIdx.x == 0 || threadIdx.x == 4)
        (void)LOAD(tile, 0);
    SYNC_WARP(4);
    ROUND(1);
    if (threadIdx.x == 0)
        STORE(tile, 0, 2);
}

/* Accesses of several elements through a wider type. */
FAULTY(wide)
{
    SHARED(int, tile, 16);
    STAGE(first);
    STORE((int2 *)tile, threadIdx.x, ((int2){(int)threadIdx.x, 1}));
    __syncthreads();
    STAGE(second);
    if (threadIdx.x < 4) {
        int4 four = LOAD((int4 *)tile, threadIdx.x);
        if (four.x != 2 * (int)threadIdx.x || four.z != 2 * (int)threadIdx.x + 1 || four.w != 1)
            STAGE(second + 1); /* which is one too high, and is reported */
    }
    SLOT(1);
    (void)LOAD(SHARED_AT(tile, 2 * (int)threadIdx.x), 1);
}

FAULTY(wide_outside)
{
    SHARED(int, tile, 15);
    STAGE(first);
    STORE((int2 *)tile, threadIdx.x, (int2){0});
}

FAULTY(wide_below)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE((int2 *)tile, (int)threadIdx.x - 1, (int2){0});
}

FAULTY(misaligned)
{
    SHARED(int, tile, 16);
    STAGE(first);
    if (threadIdx.x == 3)
        STORE((int2 *)SHARED_AT(tile, 3), 1, (int2){0});
}

FAULTY(misaligned_bytes)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE((int *)((char *)tile + 2), 0, 1);
}

FAULTY(too_narrow)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE((char *)tile, threadIdx.x, 1);
}

/* Thread 1 takes words 2 and 3, thread 3 word 3. */
FAULTY(wide_race)
{
    SHARED(int, tile, 16);
    STAGE(first);
    if (threadIdx.x == 1)
        STORE((int2 *)tile, 1, (int2){0});
    SLOT(1);
    if (threadIdx.x == 3)
        STORE(tile, 3, 1);
}

FAULTY(fill_without_setup)
{
    SHARED(int, tile, 8);
    STAGE(second);
    FILL(tile, threadIdx.x, 1);
}

FAULTY(far_away)
{
    SHARED(int, tile, 8);
    STAGE(first);
    STORE(tile, INT64_MIN, 1);
}

/* Runs a body with 8 threads in warps of 4. Returns the message, "" when all is well. */
static const char *message_of(simt_body body, const char *name)
{
    static struct error error;
    char *stages[] = {"first", "second", NULL};
    struct trace_header header = {.kernel = (char *)name,
                                  .backend = "host",
                                  .device = "",
                                  .input = "",
                                  .banks = 4,
                                  .bank_bytes = 4,
                                  .warp = 4,
                                  .threads = 8,
                                  .blocks = 2,
                                  .shared_bytes = 64,
                                  .stages = 2,
                                  .stage = stages};
    int nothing = 0;
    struct launch launch = {.header = &header, .body = body, .params = &nothing};
    struct trace_sink sink = {NULL, NULL, NULL, NULL};
    struct run_result result;
    memset(&error, 0, sizeof error);
    bool good = host_run(&launch, &sink, &result, &error);
    assert_int_equal(good, error.text[0] == '\0');
    assert_null(strchr(error.text, '\n'));
    return error.text;
}

static const struct {
    simt_body body;
    const char *name, *parts[5]; /* all of which the message must contain */
} CASES[] = {
    {out_of_bounds_body,
     "out_of_bounds",
     {"kernel out_of_bounds, stage second, round 3, block 0, thread 5", "tile[8]", "8 elements"}},
    {below_bounds_body, "below_bounds", {"stage first, round 0, block 0, thread 0", "tile[-1]"}},
    {unwritten_body,
     "unwritten",
     {"stage second, round 1, block 0, thread 2", "tile[2]", "no thread has written"}},
    {write_write_body,
     "write_write",
     {"stage first, round 2, block 0, thread 4", "race", "writes tile[0]", "thread 0 writes"}},
    {write_read_body,
     "write_read",
     {"stage second, round 4, block 0, thread 1", "race", "reads tile[0]", "thread 0 writes"}},
    {read_write_body,
     "read_write",
     {"stage second, round 1, block 0, thread 7", "race", "writes tile[7]", "thread 0 reads"}},
    {other_warp_body, "other_warp", {"stage second", "thread 4", "race"}},
    {same_warp_body, "same_warp", {""}},
    {half_barrier_body,
     "half_barrier",
     {"stage first, round 0", "barrier not reached by all", "threads 0-2",
      "kernel's end by threads 3-7"}},
    {two_barriers_body,
     "two_barriers",
     {"stage second", "barrier not reached by all", "threads 0-2", "threads 3-7"}},
    {two_barriers_and_the_end_body,
     "two_barriers_and_the_end",
     {"threads 0-2; line ", " by threads 3, 5, 7; the kernel's end by threads 4, 6"}},
    {two_instructions_body,
     "two_instructions",
     {"stage second, round 6, block 0, thread 2", "another instruction", "SLOT"}},
    {branch_slots_body, "branch_slots", {""}},
    {twice_body, "twice", {"stage second, round 5, block 0, thread 0", "twice"}},
    {too_much_body, "too_much", {"tile", "100000 elements", "64 bytes"}},
    {loops_body, "loops", {"stage first", "ROUND"}},
    {stray_body, "stray", {"stage first", "not into a SHARED array"}},
    {guarded_body, "guarded", {""}},
    {guarded_again_body, "guarded_again", {""}},
    {bad_tag_body, "bad_tag", {"stage first, round 0, block 0, thread 3", "tag", "number 0"}},
    {sizes_differ_body, "sizes_differ", {"thread 5", "tile", "the same shared arrays"}},
    {sizes_shrink_body, "sizes_shrink", {"thread 5", "tile", "the same shared arrays"}},
    {types_differ_body, "types_differ", {"thread 5", "tile", "the same shared arrays"}},
    {aligned_body, "aligned", {""}},
    {odd_elements_body, "odd_elements", {"thread 0", "tile", "elements of 12 bytes"}},
    {stage_too_high_body, "stage_too_high", {"stage ?, round 2", "stage number 2", "2 stages"}},
    {stage_too_low_body, "stage_too_low", {"stage ?, round 0", "barrier not reached by all"}},
    {load_and_store_body, "load_and_store", {"stage second", "thread 2", "another instruction"}},
    {two_widths_body, "two_widths", {"stage second", "thread 2", "another instruction"}},
    {guard_above_body, "guard_above", {"GUARD is outside the 8 elements of tile"}},
    {guard_below_body, "guard_below", {"GUARD is outside the 8 elements of tile"}},
    {guard_negative_body, "guard_negative", {"GUARD is outside the 8 elements of tile"}},
    {guard_nothing_body, "guard_nothing", {""}},
    {guard_stray_body, "guard_stray", {"GUARD needs a SHARED array"}},
    {read_by_both_body,
     "read_by_both",
     {"stage second, round 1, block 0, thread 0", "writes tile[0]", "thread 4 reads"}},
    {wide_body, "wide", {""}},
    {wide_outside_body, "wide_outside", {"thread 7", "8 bytes", "number 7", "15 elements"}},
    {wide_below_body, "wide_below", {"thread 0", "8 bytes", "number -1", "8 elements"}},
    {misaligned_body, "misaligned", {"thread 3", "8 bytes", "address 20", "multiple of 8"}},
    {misaligned_bytes_body, "misaligned_bytes", {"4 bytes", "address 2", "multiple of 4"}},
    {too_narrow_body, "too_narrow", {"elements of 4 bytes, not 1"}},
    {wide_race_body, "wide_race", {"thread 3", "race: writes tile[3]", "thread 1 writes"}},
    {fill_without_setup_body, "fill_without_setup", {"stage second", "the first of STAGES"}},
    {far_away_body, "far_away", {"tile[-9223372036854775808]", "8 elements"}},
};

static void test_fault(void **state)
{
    size_t i = (size_t)(uintptr_t)*state;
    const char *message = message_of(CASES[i].body, CASES[i].name);
    for (int k = 0; CASES[i].parts[k]; k++)
        if (!strstr(message, CASES[i].parts[k]) || (!*CASES[i].parts[k] && *message))
            fail_msg("expected \"%s\" in \"%s\"", CASES[i].parts[k], message);
}

int main(void)
{
    enum { COUNT = sizeof CASES / sizeof CASES[0] };
    struct CMUnitTest tests[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){CASES[i].name, test_fault, NULL, NULL, (void *)(uintptr_t)i};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
