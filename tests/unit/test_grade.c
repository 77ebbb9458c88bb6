/* test_grade.c - marks for exercises in CUDA: each rule with the cheat that it stops. test_attempts.c has what
 * students hand in for the lessons' exercises. */
#include "base/memory.h"
#include "grade/code.h"
#include "grade/grade.h"
#include "grade/run.h"
#include "tests/support/exercise_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- exercises ------------------------------------------------------------------------------------- */

enum { BANKS, STRIDES, REVERSE, FIRST, PAIRS, SHARES, NAMES, FLIP, EXERCISES };
struct exercise {
    char *owned[3];
    struct grade_texts texts;
    struct grade_exercise *made;
};
static struct exercise exercises[EXERCISES];

/* An exercise whose part has the pointers: each block's numbers come out in reverse, through shared memory. */
static const char reverse_table[] = "summary numbers in reverse\n"
                                    "parameter u 64 2..1024\n"
                                    "parameter blocks 1 1..8\n"
                                    "kernel turn\ngrid blocks\nblock u\nshared 4 * u\n"
                                    "input in u * blocks\noutput out u * blocks\n"
                                    "stages write read\n"
                                    "goal write accesses 1 conflicts 0\n"
                                    "goal read accesses 1 conflicts 0\n"
                                    "part all\nfollows each\n"
                                    "try u=64\ntry u=96 blocks=2\n";
static const char reverse_exercise[] =
    "extern __shared__ int tile[];\n"
    "__device__ void reverse(int u, const int *in, int *out);\n"
    "__global__ void turn(int u, const int *in, int *out)\n"
    "{ reverse(u, in + blockIdx.x * u, out + blockIdx.x * u); }\n"
    "// [your part begins]\n"
    "__device__ void reverse(int u, const int *in, int *out)\n"
    "{ int t = threadIdx.x; tile[t] = in[t]; __syncthreads();\n"
    "  for (int i = 0; i < 32; i++) if (t % 32 == i) out[t] = tile[u - 1 - t]; }\n"
    "// [your part ends]\n";
static const char reverse_grading[] =
    "__global__ void reference(int u, const int *in, int *out)\n"
    "{ int t = threadIdx.x, b = blockIdx.x * u; out[b + t] = in[b + u - 1 - t]; }\n";

/* The same, whose first array is the output. */
static const char first_table[] = "parameter u 64 2..1024\nparameter blocks 1 1..8\n"
                                  "kernel turn\ngrid blocks\nblock u\nshared 4 * u\n"
                                  "output out u * blocks\ninput in u * blocks\n"
                                  "stages write read\ngoal write accesses 1 conflicts 0\n"
                                  "part all\nfollows each\ntry u=64\n";

/* The same of two numbers for each thread, which may access them at once. */
static const char pairs_table[] =
    "parameter u 32 32..64\nkernel turn\ngrid 1\nblock u\nshared 8 * u\n"
    "input in 2 * u\noutput out 2 * u\nstages write read\n"
    "goal write accesses 2 conflicts 0\n"
    "goal read accesses 2 conflicts 0\npart all\nfollows each\n"
    "try u=32\ntry u=64\n";
static const char pairs_exercise[] =
    "extern __shared__ int tile[];\n"
    "__device__ void reverse(int u, const int *in, int *out);\n"
    "__global__ void turn(int u, const int *in, int *out) { reverse(u, in, out); }\n"
    "// [your part begins]\n"
    "__device__ void reverse(int u, const int *in, int *out)\n"
    "{ int t = threadIdx.x; for (int i = 0; i < 2; i++) tile[2 * t + i] = in[2 * t + i];\n"
    "  __syncthreads(); int r = 2 * (u - 1 - t);\n"
    "  for (int i = 0; i < 2; i++) out[2 * t + i] = tile[r + i]; }\n"
    "// [your part ends]\n";
static const char pairs_grading[] =
    "__global__ void reference(int u, const int *in, int *out)\n"
    "{ int t = 2 * threadIdx.x; out[t] = in[2 * u - 2 - t]; out[t + 1] = in[2 * u - 1 - t]; }\n";

/* An exercise whose right result depends on what the part chooses, with inputs that are made. All choices are
 * right, but that of 8 alone gives each thread a bank of its own. */
static const char shares_table[] =
    "parameter u 8 1..64\nwhere 4 divides u\nwhere 2 * u <= 64\nkernel copy\ngrid 1\nblock u\n"
    "shared 128 * u\ninput in 8 * u\nchoice share u\noutput out u\nstages write read\n"
    "goal read accesses 1 conflicts 0\npart none\nfollows some\ntry u=8\ntry u=32\n";
static const char shares_exercise[] =
    "__device__ int take(int u, int t);\n"
    "__global__ void copy(int u, const int *in, int *share, int *out)\n"
    "{ extern __shared__ int tile[];\n"
    "  int t = threadIdx.x, n = take(u, t), word = t * (n == 8 ? 1 : 32);\n"
    "  tile[word] = in[8 * t + (n & 7)]; __syncthreads();\n"
    "  share[t] = n; out[t] = tile[word]; }\n"
    "// [your part begins]\n"
    "__device__ int take(int u, int t) { return 15; }\n"
    "// [your part ends]\n";
static const char shares_grading[] =
    "__global__ void prepare(int u, int seed, int *in) {\n"
    "  for (int i = 0; i < 8; i++) in[8 * threadIdx.x + i] = 100 * seed + threadIdx.x + i; }\n"
    "__global__ void reference(int u, int seed, const int *in, int *share, int *out) {\n"
    "  int t = threadIdx.x; if (u % 4 || u > 32) __trap();\n"
    "  share[t] = max(8, min(15, share[t]));\n"
    "  out[t] = 100 * seed + t + share[t] - 8; }\n";

/* An exercise with names that a part may try to change. */
static const char names_table[] =
    "parameter u 32 1..64\nkernel copy\ngrid 1\nblock u\nshared 128 * u\ninput in u\noutput out u\n"
    "stages write read\ngoal read accesses 1 conflicts 0\npart none\nfollows each\ntry u=32\n";
static const char names_exercise[] =
    "#include <cooperative_groups/reduce.h>\n"
    "template <class T> struct box { T value; __device__ T get() const { return value; } };\n"
    "template <class T> __device__ bool operator<(box<T> a, box<T> b)\n"
    "{ return a.value < b.value; }\n"
    "template <class T> __device__ T least(T a, T b) { return a < b ? a : b; }\n"
    "__device__ int word(int t, int more = 0);\n"
    "__device__ int sum(const int *p, int n) { return n > 0 ? p[n - 1] + sum(p, n - 1) : 0; }\n"
    "__device__ int doubled(const int *p, int n) { return 2 * sum(p, n); }\n"
    "#define PEEK(p) (*(p))\n"
    "template <class T> __device__ int spread(T f, int n) { return n > 0 ? f(n) + spread(f, n - 1) "
    ": 0; }\n"
    "__device__ int first(int v = *(const int *)0x10000000000) { return v; }\n"
    "struct cell { const int *at; int value = *at; };\n"
    "__global__ void copy(const int *in, int *out)\n"
    "{ extern __shared__ int tile[];\n"
    "  int t = threadIdx.x; box<int> mine = {in[t]}, none = {-1};\n"
    "  tile[word(t)] = none < mine ? least(mine.get(), 2147483647) : 0; __syncthreads();\n"
    "  out[t] = tile[word(t)]; }\n"
    "// [your part begins]\n"
    "__device__ int word(int t, int more) { return 32 * t; }\n"
    "// [your part ends]\n";
static const char names_grading[] =
    "__global__ void reference(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }\n";

/* An exercise without stages, whose part has a number and must move it: 2^r threads exchange theirs. */
static const char flip_table[] =
    "parameter r 6 6..10\nparameter blocks 2 1..8\nwhere 2^r <= 512\nkernel flip\ngrid blocks\n"
    "block 2^r\ninput in blocks * 2^r\noutput out blocks * 2^r\n"
    "goal stores accesses 1 conflicts 0\ngoal loads accesses 1 conflicts 0\n"
    "part shared\nfollows moved\ntry r=6\ntry r=8\n";
static const char flip_exercise[] =
    "__device__ int flipped(int number);\n"
    "__global__ void flip(const int *in, int *out)\n"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = flipped(in[i]); }\n"
    "// [your part begins]\n"
    "__device__ int flipped(int number)\n"
    "{ __shared__ int tile[512]; int t = threadIdx.x, n = blockDim.x;\n"
    "  tile[t] = number; __syncthreads(); ((volatile int *)tile)[t]; return tile[n - 1 - t]; }\n"
    "// [your part ends]\n";
static const char flip_grading[] =
    "__global__ void reference(int r, const int *in, int *out)\n"
    "{ int n = 1 << r, b = blockIdx.x * n; out[b + threadIdx.x] = in[b + n - 1 - threadIdx.x]; }\n";

static struct grade_text text_of(const char *text)
{
    return (struct grade_text){text, strlen(text)};
}

static void make(struct exercise *exercise)
{
    struct error error = {""};
    exercise->made = grade_exercise_new(&heap_allocator, &exercise->texts, &error);
    if (!exercise->made)
        fail_msg("%s", error.text);
}

static void make_of_lesson(struct exercise *exercise, const char *lesson)
{
    exercise->texts = exercise_texts(lesson, exercise->owned);
    make(exercise);
}

static int set_up(void **state)
{
    (void)state;
    make_of_lesson(&exercises[BANKS], "01-banks");
    make_of_lesson(&exercises[STRIDES], "02-strides");
    exercises[REVERSE].texts = (struct grade_texts){
        text_of(reverse_table), text_of(reverse_exercise), text_of(reverse_grading)};
    make(&exercises[REVERSE]);
    exercises[FIRST].texts = exercises[REVERSE].texts;
    exercises[FIRST].texts.table = text_of(first_table);
    make(&exercises[FIRST]);
    exercises[PAIRS].texts =
        (struct grade_texts){text_of(pairs_table), text_of(pairs_exercise), text_of(pairs_grading)};
    make(&exercises[PAIRS]);
    exercises[SHARES].texts = (struct grade_texts){text_of(shares_table), text_of(shares_exercise),
                                                   text_of(shares_grading)};
    make(&exercises[SHARES]);
    exercises[NAMES].texts =
        (struct grade_texts){text_of(names_table), text_of(names_exercise), text_of(names_grading)};
    make(&exercises[NAMES]);

    exercises[FLIP].texts =
        (struct grade_texts){text_of(flip_table), text_of(flip_exercise), text_of(flip_grading)};
    make(&exercises[FLIP]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < EXERCISES; i++) {
        if (exercises[i].made)
            grade_exercise_free(exercises[i].made);
        for (int k = 0; k < 3; k++)
            free(exercises[i].owned[k]);
    }
    return 0;
}

/* ---- hand-ins --------------------------------------------------------------------------------------- */

/* The marks of a part. */
static struct grade_marks mark_of(int exercise, const char *part)
{
    char source[8192];
    struct grade_marks marks;
    struct error trouble = {""};
    snprintf(source, sizeof source, "/* [your part begins] */\n%s\n/* [your part ends] */\n", part);
    const struct grade_text text = text_of(source);
    if (!grade_hand_in(exercises[exercise].made, &text, 7, &marks, &trouble))
        fail_msg("%s\n%s", trouble.text, part);
    return marks;
}

/* Whether a message or the reason of something missed has the sign. */
static bool tells(const struct grade_marks *marks, const char *sign)
{
    bool found = false;
    for (int i = 0; i < marks->messages; i++)
        found = found || strstr(marks->message[i].text, sign);
    for (int i = 0; i < marks->findings; i++)
        found = found || strstr(marks->finding[i].why, sign);
    return found;
}

static void show(const struct grade_marks *marks, const char *part)
{
    print_message("%s\n", part);
    for (int i = 0; i < marks->messages; i++)
        print_message("  %d:%d: %s\n", marks->message[i].line, marks->message[i].column,
                      marks->message[i].text);
    for (int i = 0; i < marks->findings; i++)
        print_message("  %s: %s\n", marks->finding[i].what,
                      grade_met(marks, i) ? "yes" : marks->finding[i].why);
}

struct attempt {
    int exercise;
    int points;       /* -1: it does not compile */
    const char *sign; /* in what is said; NULL: all points */
    const char *part;
};

static void try_all(const struct attempt *attempt, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct grade_marks marks = mark_of(attempt[i].exercise, attempt[i].part);
        const bool good =
            marks.compiled == (attempt[i].points >= 0) &&
            (attempt[i].sign ? marks.points == (attempt[i].points > 0 ? attempt[i].points : 0) &&
                                   tells(&marks, attempt[i].sign)
                             : marks.points == marks.most && marks.most > 0);
        if (!good) {
            show(&marks, attempt[i].part);
            fail_msg("%d of %d points, expected %d and '%s'", marks.points, marks.most,
                     attempt[i].points, attempt[i].sign ? attempt[i].sign : "all");
        }
    }
}
#define TRY(attempts) try_all(attempts, sizeof(attempts) / sizeof *(attempts))

#define WORD(expression) "__device__ int point_word(int u, int t, int k) { return " expression "; }"
#define PITCH(body) "__device__ int pitch(int w, int E) { " body " }"
#define TURN(body)                                                                                 \
    "__device__ void reverse(int u, const int *in, int *out) { int t = threadIdx.x; " body " }"

static void right_attempts(void **state)
{
    (void)state;
    static const struct attempt attempts[] = {
        {REVERSE, 1, NULL, TURN("tile[t] = in[t]; __syncthreads(); out[t] = tile[u - 1 - t];")},
        {REVERSE, 1, NULL, TURN("tile[u - 1 - t] = in[t]; __syncthreads(); out[t] = tile[t];")},
    };
    TRY(attempts);
}

/* One access too many is too many, and so is one instruction, one barrier. */
static void nothing_too_many(void **state)
{
    (void)state;
    static const struct attempt attempts[] = {
        {REVERSE, 0, "65 accesses in all, where 64 do: too many",
         TURN("tile[t] = in[t]; __syncthreads(); out[t] = tile[u - 1 - t]; if (t == 5) ((volatile "
              "int *)tile)[5];")},
        {REVERSE, 0, "3 instructions of warps, where 2 do",
         TURN("tile[t] = in[t]; __syncthreads(); if (t < 32 && t % 2) out[t] = ((volatile int "
              "*)tile)[u - 1 - t]; else out[t] = ((volatile int *)tile)[u - 1 - t];")},
        {REVERSE, 0, "meet at 2 barriers, where the exercise has 1",
         TURN("tile[t] = in[t]; __syncthreads(); out[t] = tile[u - 1 - t]; __syncthreads();")},
        {REVERSE, 0, "32 accesses in all, where 64 are needed",
         TURN("if (t < 32) { tile[t] = in[t]; } __syncthreads(); out[t] = tile[u - 1 - t];")},
    };
    TRY(attempts);
}

/* A wrong word is explained by the load that gave it, which need not be the thread's last, in whichever array and warp;
 * that other threads have loaded that word since then is no matter, nor that the thread has stored it. */
static void a_wrong_word_is_followed(void **state)
{
    (void)state;
    static const char part[] = TURN("tile[t] = in[t]; __syncthreads(); int x = tile[t ^ 5]; "
                                    "((volatile int *)tile)[u - 1 - t]; out[t] = x;"),
                      others[] = TURN("tile[t] = in[t]; __syncthreads(); int x = tile[t ^ 5]; "
                                      "((volatile int *)tile)[u - 1 - t]; __syncthreads(); "
                                      "if (t > 20 && t < 60) ((volatile int *)tile)[5]; "
                                      "__syncthreads(); out[t] = x;"),
                      stores[] = TURN("tile[t] = in[t]; __syncthreads(); int x = tile[t ^ 5]; "
                                      "((volatile int *)tile)[u - 1 - t]; __syncthreads(); "
                                      "tile[t] = x; out[t] = x;"),
                      one[] =
                          TURN("tile[t] = in[t]; __syncthreads(); int x = tile[t == 35 ? 40 : t]; "
                               "((volatile int *)tile)[t]; out[u - 1 - t] = x;"),
                      sign[] = ": lane 0 of warp 0 read word 5 in bank 5, which thread 5 wrote";
    static const struct attempt attempts[] = {
        {REVERSE, 0, sign, part},
        {FIRST, 0, sign, part},
        {REVERSE, 0, sign, others},
        {REVERSE, 0, sign, stores},
        {REVERSE, 0, ": lane 3 of warp 1 read word 40 in bank 8, which thread 40 wrote", one}};
    TRY(attempts);
}

/* An access of two words is two, and uses both of their banks. */
static void wide_accesses_count_by_words(void **state)
{
    (void)state;
#define FROM "((const int2 *)in)"
#define TO "((int2 *)out)"
    static const struct attempt attempts[] = {
        {PAIRS, 1, NULL,
         TURN("int2 *wide = (int2 *)tile; wide[t] = " FROM "[t]; __syncthreads(); " TO
              "[t] = wide[u - 1 - t];")},
        {PAIRS, 1, NULL,
         TURN("tile[t] = in[2 * t]; tile[t + u] = in[2 * t + 1]; __syncthreads(); " TO
              "[t] = make_int2(tile[u - 1 - t], tile[2 * u - 1 - t]);")},
        {PAIRS, 0, "128 accesses in all, where 64 do: too many",
         TURN("int2 *wide = (int2 *)tile; wide[t] = " FROM "[t]; __syncwarp(); wide[t] = " FROM
              "[t]; __syncthreads(); " TO "[t] = wide[u - 1 - t];")},
        {PAIRS, 0, "bank 0 serves 2 words, for threads 27 (word 32), 31 (word 0)",
         TURN("int2 *wide = (int2 *)tile; int w = t % 8 * 4 + t / 8; wide[w] = " FROM
              "[t]; __syncthreads(); " TO "[t] = wide[(u - 1 - t) % 8 * 4 + (u - 1 - t) / 8];")},
    };
    TRY(attempts);
}

/* An atomic operation is a store, too. */
static void atomics_store(void **state)
{
    (void)state;
    const struct grade_marks marks =
        mark_of(FLIP, "__device__ int flipped(int number) { __shared__ int tile[1024]; int t = "
                      "threadIdx.x; atomicExch(&tile[t], number); __syncthreads(); return "
                      "tile[blockDim.x - 1 - t]; }");
    assert_true(tells(&marks, "256 accesses in all, where 128 do")); /* loads */
    assert_false(tells(&marks, "0 accesses in all"));                /* stores */
}

/* The first run that misses something is the one to look at, and its access. */
static void the_first_miss_is_shown(void **state)
{
    (void)state;
    struct grade_marks marks = mark_of(
        FLIP, "__device__ int flipped(int number) { __shared__ int tile[1024]; int t = "
              "threadIdx.x, n = blockDim.x; tile[t] = number; __syncthreads(); int x = tile[t], y "
              "= tile[2 * t % n]; return t % 2 ? x : y; }");
    assert_true(marks.place.known);
    assert_int_equal(marks.place.value[0], 6);
    assert_int_equal(marks.place.access, 4); /* two stores, a load without conflict, this one */
    marks = mark_of(REVERSE, TURN("tile[t] = in[t]; __syncthreads(); out[t] = tile[u - 1 - t];"));
    assert_false(marks.place.known);
}

static void parts_may_choose(void **state)
{
    (void)state;
#define TAKE(body) "__device__ int take(int u, int t) { " body " }"
    static const struct attempt attempts[] = {
        {SHARES, 1, NULL, TAKE("return 8;")},
        {SHARES, 0, "serves", TAKE("return 9 + t % 7;")},
        {SHARES, 0, "share[1]: got 7, expected 8", TAKE("return t == 1 ? 7 : 8;")},
        {SHARES, 0, "share[0]: got 16, expected 15", TAKE("return 16;")},
    };
    TRY(attempts);
}

static void numbers_must_move_through_shared_memory(void **state)
{
    (void)state;
#define FLIPPED(body)                                                                              \
    "__device__ int flipped(int number) { __shared__ int tile[1024]; int t = threadIdx.x, n = "    \
    "blockDim.x; " body " }"
#define STORE_OWN "tile[t] = number; __syncthreads(); "
    static const struct attempt attempts[] = {
        {FLIP, 1, NULL, FLIPPED(STORE_OWN "return tile[n - 1 - t];")},
        /* As many barriers as one likes, before the store, too. */
        {FLIP, 1, NULL,
         FLIPPED("__syncthreads(); tile[t] = number; __syncthreads(); __syncthreads(); return "
                 "tile[n - 1 - t];")},
        /* Half of the threads at a time use the same words. */
        {FLIP, 1, NULL,
         FLIPPED("int h = n / 2, x; if (t < h) tile[t] = number; __syncthreads(); if (t >= h) x = "
                 "tile[n - 1 - t]; __syncthreads(); if (t >= h) tile[t - h] = number; "
                 "__syncthreads(); if (t < h) x = tile[h - 1 - t]; return x;")},
        /* What is loaded may go on by shuffles. */
        {FLIP, 1, NULL,
         FLIPPED(STORE_OWN "return __shfl_sync(~0u, tile[(n - 32 - t / 32 * 32) + t % 32], 31 - t "
                           "% 32);")},
        {FLIP, 0, "instructions of warps",
         FLIPPED(STORE_OWN "return t % 2 ? tile[n - 1 - t] : ((volatile int *)tile)[n - 1 - t];")},
        {FLIP, 0, "192 accesses in all, where 128 do: too many",
         FLIPPED(STORE_OWN "if (t % 2) ((volatile int *)tile)[t]; return tile[n - 1 - t];")},
        {FLIP, 0, "access 2: bank 0 serves 2 words",
         FLIPPED(STORE_OWN "int x = tile[t], y = tile[2 * t % n]; return t % 2 ? x : y;")},
        {FLIP, 0, "serves 2 words",
         FLIPPED("tile[2 * t % n + 2 * t / n] = number; __syncthreads(); t = n - 1 - t; return "
                 "tile[2 * t % n + 2 * t / n];")},
        {FLIP, 0, "of tile, which has 512 bytes",
         "__device__ int flipped(int number) { __shared__ int tile[128]; tile[threadIdx.x] = "
         "number; __syncthreads(); return tile[blockDim.x - 1 - threadIdx.x]; }"},
        {FLIP, 0, "nothing is read that was stored", FLIPPED("tile[t] = number; return number;")},
    };
    TRY(attempts);
}

static void the_table_says_what_to_a_mistake(void **state)
{
    (void)state;
    const struct grade_marks marks = mark_of(BANKS, WORD("t"));
    assert_non_null(marks.finding[0].hint);
    assert_non_null(strstr(marks.finding[0].hint, "a word of its own"));
    assert_non_null(grade_hint(exercises[BANKS].made, 2));
    assert_null(grade_hint(exercises[BANKS].made, 3));
    assert_string_equal(grade_summary(exercises[BANKS].made),
                        "points in shared memory, without conflicts");
}

/* ---- cheats ----------------------------------------------------------------------------------------- */

static void a_part_is_a_unit_of_its_own(void **state)
{
    (void)state;
    static const struct attempt attempts[] = {
        /* What the teacher wrote was read before: macros reach none of it. */
        {BANKS, 0, "serves 4 words",
         "#define __syncthreads()\n#define tile in\n" WORD("4 * t + k")},
        {BANKS, 0, "serves 4 words", "#undef __global__\n" WORD("4 * t + k")},
        {BANKS, -1, "closes nothing", "}\n" WORD("4 * t + k")},
        {BANKS, -1, "never closed", WORD("k * u + t") "\nnamespace x {"},
        {BANKS, -1, "#endif", WORD("k * u + t") "\n#if 1"},
        {BANKS, -1, "", WORD("k * u + t") "\n/* and so on"},
        {BANKS, -1, "", "#if 0\n" WORD("k * u + t")},
        {BANKS, -1, "#include", "#include \"grading.cu\"\n" WORD("k * u + t")},
        {BANKS, -1, "#include",
         "#define FILE <cooperative_groups.h>\n#include FILE\n" WORD("k * u + t")},
        {BANKS, -1, "asm", WORD("0") " __device__ void f() { asm(\"trap;\"); }"},
        {BANKS, -1, "asm",
         "#define JOIN(a, b) a##b\n"
         "__device__ int point_word(int u, int t, int k) { JOIN(a, sm)(\"bar.sync 0;\"); return k "
         "* u + t; }"},
        {BANKS, -1, "asm",
         "__device__ int point_word(int u, int t, int k) { BANKSCOPE_STAGE(\"read\"); return k * u "
         "+ t; }"},
        {BANKS, -1, "asm",
         "__device__ int point_word(int u, int t, int k) { BANKSCOPE_ROUND(0); return k * u + t; "
         "}"},
        {BANKS, -1, "kernel",
         "__global__ void points(int u, const int *in, int *out) { }\n" WORD("0")},
        {BANKS, -1, "kernel",
         "#define K __glo##bal__\n__global__ void other(int *out) { }\n" WORD("0")},
        {BANKS, -1, "__constant__",
         "__constant__ int table[4] = {0, 1, 2, 3};\n" WORD("table[k] * u + t")},
        {BANKS, -1, "variable", "__device__ int board[64];\n" WORD("k * u + t")},
        {BANKS, -1, "variable",
         "struct s { static __device__ int board; };\n__device__ int s::board;\n" WORD(
             "k * u + t")},
        {BANKS, -1, "outlives",
         "__device__ int point_word(int u, int t, int k) { static int n; return k * u + t + n; }"},
        {BANKS, -1, "specialisation",
         "template <> __device__ int max<int>(int a, int b) { return 0; }\n" WORD("k * u + t")},
        /* A second body for what is there. */
        {BANKS, -1, "", "__device__ void __syncthreads() { }\n" WORD("4 * t + k")},
        /* Places cannot be renamed. */
        {BANKS, 0, "line 3: load of shared",
         "#line 1 \"exercise.cu\"\n__device__ int point_word(int u, int t, int k) { extern "
         "__shared__ int s[]; return k * u + t + 0 * ((volatile int *)s)[t]; }"},
    };
    TRY(attempts);
}

static void names_of_a_part_mean_nothing_before_it(void **state)
{
    (void)state;
#define WITH_WORD(names) names "\n__device__ int word(int t, int more) { return more ? 0 : t; }"
    static const struct attempt attempts[] = {
        {NAMES, 1, NULL, WITH_WORD("__device__ int least(int a, int b) { return 0; }")},
        {NAMES, 1, NULL,
         WITH_WORD("namespace mine { __device__ int least(int a, int b) { return 0; } }\n"
                   "using namespace mine;")},
        {NAMES, 1, NULL,
         WITH_WORD("__device__ bool operator<(box<int> a, box<int> b) { return false; }")},
        {NAMES, 1, NULL, WITH_WORD("struct fake { int x; }; constexpr fake threadIdx = {0};")},
        {NAMES, 1, NULL, WITH_WORD("struct { int x; } threadIdx;")},
        {NAMES, 1, NULL, "__device__ int word(int t, int more = 1) { return more ? 0 : t; }"},
        /* But a part has names of its own, and a header of the compiler finds its operators. */
        {NAMES, 1, NULL,
         "struct own { int x; };\n"
         "__device__ bool operator<(own a, own b) { return a.x < b.x; }\n"
         "__device__ int least(own a, own b) { return cooperative_groups::less<own>()(a, b).x; }\n"
         "__device__ int word(int t, int more) { return least(own{t}, own{t + 1}); }"},
        {NAMES, -1, "may not specialise",
         WITH_WORD("template <class T> struct box<T *> { T *value; };")},
        {NAMES, -1, "another type", "__device__ void word(int t, int more) { }"},
    };
    TRY(attempts);
}

static void accesses_are_attributed_by_place(void **state)
{
    (void)state;
    static const struct attempt attempts[] = {
        /* Addresses of arrays are no secret: they can be read, but it is seen. */
        {BANKS, 0, "load of global", WORD("k * u + t + 0 * *(volatile int *)0x10000000000")},
        {BANKS, 0, "load of global",
         "template <class T> __device__ T at(T *p) { return *p; }\n" WORD(
             "k * u + t + 0 * at((volatile int *)0x10000000000)")},
        {BANKS, 0, "of global",
         "__device__ int point_word(int u, int t, int k) { *(int *)0x10100000000 = 1; return k * u "
         "+ t; }"},
        {BANKS, 0, "of global",
         "__device__ int point_word(int u, int t, int k) { atomicAdd((int *)0x10100000000, 0); "
         "return k * u + t; }"},
        {BANKS, 0, "of shared",
         "__device__ int point_word(int u, int t, int k) { __shared__ int s[2]; s[0] = k; return k "
         "* u + t; }"},
    };
    TRY(attempts);
}

/* What the teacher wrote makes the part's accesses where the part has it make them. */
static void what_stands_before_a_part_reads_nothing_for_it(void **state)
{
    (void)state;
#define IN "(const int *)0x10000000000"
#define READS(value) "__device__ int word(int t, int more) { return t + (" value " >> 31); }"
    static const struct attempt attempts[] = {
        {NAMES, -1, "'sum(const int *, int)' stands before this part", READS("sum(" IN ", 2)")},
        {NAMES, -1, "'sum(const int *, int)' stands before this part", READS("doubled(" IN ", 2)")},
        {NAMES, 0, "of global", READS("PEEK(" IN ")")},
        {NAMES, 0, "of global", READS("first()")},
        {NAMES, 0, "of global",
         "__device__ int word(int t, int more) { int x = first(); return t + (x >> 31); }"},
        {NAMES, 0, "of global",
         "__device__ int word(int t, int more) { cell c = {" IN "}; return t + (c.value >> 31); }"},
        {NAMES, 0, "of global",
         "struct mine : cell { }; __device__ int word(int t, int more) { mine m = {{" IN
         "}}; return t + (m.value >> 31); }"},
        {NAMES, -1, "stands before this part",
         "__device__ int word(int t, int more) { return t + (spread([](int n) { return ((" IN
         ")[n]); }, 2) >> 31); }"},
        /* Functions of the compiler's own, and what runs without a call. */
        {BANKS, 0, "of global",
         "__device__ int point_word(int u, int t, int k) { int x; memcpy(&x, (void "
         "*)0x10000000000, "
         "4); return k * u + t + (x >> 31); }"},
        {BANKS, 0, "of global", WORD("k * u + t + (__ldg((const int *)0x10000000000) >> 31)")},
        {BANKS, 0, "of global",
         WORD("k * u + t + ([x = *(const int *)0x10000000000] { return x; }() >> 31)")},
        {BANKS, 0, "of global",
         "struct S { int x = *(const int *)0x10000000000; ~S() { } }; struct T : S { }; "
         "__device__ int point_word(int u, int t, int k) { T a[2]; return k * u + t + (a[1].x >> "
         "31); }"},
        {BANKS, 0, "of global",
         "struct P { const int *p; __device__ const int *begin() const { return p; } __device__ "
         "const int *end() const { return p + 1; } }; __device__ int point_word(int u, int t, int "
         "k) { int s = 0; for (int x : P{(const int *)0x10000000000}) s += x >> 31; return k * u + "
         "t + s; }"},
        /* Variables that outlive a call. */
        {BANKS, -1, "",
         "struct S { static inline __device__ int n = 0; };\n" WORD(
             "S::n++ ? 4 * u + t : k * u + t")},
        {BANKS, -1, "",
         "struct S { static int n; }; __device__ int S::n = 0;\n" WORD(
             "S::n++ ? 4 * u + t : k * u + t")},
        {BANKS, -1, "",
         "template <int N> __device__ int count = 0;\n" WORD("count<1>++ ? 4 * u + t : k * u + t")},
        /* It may compute as deep as it wants. */
        {NAMES, 1, "",
         "__device__ int fall(int n) { return n > 0 ? fall(n - 1) : 0; }\n"
         "__device__ int word(int t, int more) { return t + fall(3); }"},
    };
    TRY(attempts);
}

/* A function of the compiler's own headers that is called by its address is inlined nowhere. */
static void functions_by_their_addresses_are_the_parts(void **state)
{
    (void)state;
    static const struct attempt attempts[] = {
        {BANKS, 0, "of global",
         "__device__ int point_word(int u, int t, int k) { int (*volatile f)(int *, int) = "
         "atomicAdd; f((int *)0x10100000000, 0); return k * u + t; }"},
    };
    TRY(attempts);
}

static void inputs_are_read_only(void **state)
{
    (void)state;
    static const struct attempt attempts[] = {
        {REVERSE, 0, "address", TURN("((int *)in)[t] = 0; __syncthreads(); out[t] = 0;")},
        {BANKS, 0, "address",
         "__device__ int point_word(int u, int t, int k) { *(int *)0x10000000000 = 1; return k * u "
         "+ t; }"},
    };
    TRY(attempts);
}

static void shared_memory_must_be_used(void **state)
{
    (void)state;
    static const struct attempt attempts[] = {
        {REVERSE, 0, "data must go through shared memory", TURN("out[t] = in[u - 1 - t];")},
        /* As many accesses as are asked, for show. */
        {REVERSE, 0, "were altered",
         TURN("tile[t] = in[t]; __syncthreads(); int x = ((volatile int *)tile)[t]; out[t] = in[u "
              "- 1 - t] + 0 * x;")},
        /* A kernel that notices goes astray, and would end the tries. */
        {REVERSE, 0, "after words were altered",
         TURN("tile[t] = in[t]; __syncthreads(); int x = tile[u - 1 - t]; if (x != in[u - 1 - t]) "
              "for (;;) ; out[t] = in[u - 1 - t];")},
        /* All but every second word. */
        {REVERSE, 0, "were altered",
         TURN("tile[t] = in[t]; __syncthreads(); int x = ((volatile int *)tile)[u - 1 - t]; out[t] "
              "= t % 2 ? x : in[u - 1 - t];")},
        /* Without the barrier, by shuffles. */
        {REVERSE, 0, "", TURN("out[t] = __shfl_sync(~0u, in[t], 31 - t % 32);")},
        {REVERSE, 0, "all lanes must access at once",
         TURN("for (int i = 0; i < 32; i++) if (t % 32 == i) tile[t] = in[t]; __syncthreads(); "
              "out[t] = tile[u - 1 - t];")},
        /* Work in another interval than the one that is asked. */
        {REVERSE, 0, "barriers",
         TURN("tile[t] = in[t]; __syncthreads(); int x = tile[u - 1 - t]; __syncthreads(); tile[t] "
              "= x; __syncthreads(); out[t] = tile[t];")},
    };
    TRY(attempts);
}

static void runs_are_limited(void **state)
{
    (void)state;
    static const struct attempt attempts[] = {
        {BANKS, 0, "does not end",
         "__device__ int point_word(int u, int t, int k) { for (;;) ; return k; }"},
        {BANKS, 0, "",
         "__device__ int deep(int n) { return n ? deep(n + 1) + n : 0; }\n" WORD("deep(1)")},
        {BANKS, 0, "of its own",
         "__device__ int point_word(int u, int t, int k) { volatile int big[20000]; big[t] = k; "
         "return big[t] * u + t; }"},
        {BANKS, 0, "all runs together",
         "__device__ int point_word(int u, int t, int k) { int n = 0; for (volatile int i = 0; i < "
         "3000; i++) n += i; return n ? k * u + t : 0; }"},
        {BANKS, -1, "local memory",
         "__device__ int point_word(int u, int t, int k) { volatile int big[1000000]; big[t] = k; "
         "return big[t] * u + t; }"},
        {BANKS, 0, "",
         "__device__ int point_word(int u, int t, int k) { if (t == 0) __syncthreads(); return k * "
         "u + t; }"},
        {BANKS, 0, "trap",
         "__device__ int point_word(int u, int t, int k) { __trap(); return k * u + t; }"},
    };
    TRY(attempts);
}

static void the_same_seed_gives_the_same_marks(void **state)
{
    (void)state;
    const char *const part = PITCH("return w == 32 ? E | 1 : E + 1;");
    struct grade_marks *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
    *first = mark_of(STRIDES, part);
    *second = mark_of(STRIDES, part);
    assert_int_equal(first->runs, 7 * 3 + 12);
    assert_int_equal(mark_of(BANKS, WORD("4 * u + t")).runs, 3);
    assert_memory_equal(first->finding, second->finding, sizeof first->finding);
    assert_int_equal(
        mark_of(REVERSE,
                TURN("tile[t] = in[t]; __syncthreads(); if (tile[u - 1 - t] != in[u - 1 - t]) "
                     "for (;;) ; out[t] = in[u - 1 - t];"))
            .runs,
        2 * 3 + 12);
    free(first);
    free(second);
}

/* ---- sources and tables ------------------------------------------------------------------------------- */

static void expect_refusal(const char *source, size_t length, const char *sign)
{
    struct grade_marks marks;
    struct error trouble = {""};
    const struct grade_text text = {source, length};
    assert_false(grade_hand_in(exercises[BANKS].made, &text, 7, &marks, &trouble));
    if (!strstr(trouble.text, sign))
        fail_msg("'%s' has no '%s'", trouble.text, sign);
}

static void sources_need_their_marks(void **state)
{
    (void)state;
    static const struct {
        const char *source, *sign;
    } rows[] = {
        {"", "no line '[your part begins]'"},
        {"// [your part begins]\n", "no line '[your part ends]'"},
        {"// [your part ends]\n// [your part begins]\n// [your part ends]\n", "once"},
        {"// [your part begins]\n// [your part begins]\n// [your part ends]\n", "once"},
        {"// [your part begins]\n// [your part ends]\n// [your part ends]\n", "once"},
        {"// [your part begins] [your part ends]\n", "lines of their own"},
        {"#include \"kernels/kernel.h\"\n// [your part begins]\nDEVICE int f();\n// [your part "
         "ends]\n",
         "__device__ for DEVICE"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_refusal(rows[i].source, strlen(rows[i].source), rows[i].sign);
    expect_refusal("// [your part begins]\n\0// [your part ends]\n", 41, "byte 0");
    for (size_t bytes = GRADE_PART; bytes <= GRADE_PART + 1;
         bytes++) { /* the longest, and a longer one */
        static char long_one[GRADE_PART + 100];
        struct grade_marks marks;
        struct error trouble = {""};
        const int length =
            snprintf(long_one, sizeof long_one, "// [your part begins]\n%*s\n// [your part ends]\n",
                     (int)bytes - 1, "");
        const struct grade_text text = {long_one, (size_t)length};
        assert_int_equal(grade_hand_in(exercises[BANKS].made, &text, 7, &marks, &trouble),
                         bytes == GRADE_PART);
        assert_int_equal(strstr(trouble.text, "the part has 32769 bytes: at most 32768") != NULL,
                         bytes > GRADE_PART);
    }
}

static void messages_have_the_lines_of_the_hand_in(void **state)
{
    (void)state;
    struct grade_marks marks;
    struct error trouble = {""};
    const struct grade_text text =
        text_of("one\ntwo\n// [your part begins]\n\n"
                "__device__ int point_word(int u, int t, int k) { return nothing; }\n"
                "// [your part ends]\n");
    assert_true(grade_hand_in(exercises[BANKS].made, &text, 7, &marks, &trouble));
    assert_false(marks.compiled);
    assert_int_equal(marks.message[0].line, 5);
    assert_null(strstr(marks.message[0].text, ", in ")); /* another file */
    assert_int_equal(marks.points, 0);
    /* A template of the exercise's, which the part calls with what it cannot take. */
    marks = mark_of(NAMES, "__device__ int word(int t, int more) { return spread(3, t); }");
    assert_false(marks.compiled);
    assert_true(tells(&marks, ", in exercise.cu"));
    /* A byte that is no letter stays out of what is said. */
    marks = mark_of(NAMES, "#error \xff\n");
    assert_true(tells(&marks, "#error ?"));
}

/* What is recorded of a hand-in has the instructions that it became, and each access has its own. */
static void a_recording_has_instructions_stages_and_arrays(void **state)
{
    (void)state;
    static const char source[] = "// [your part begins]\n"
                                 "__device__ void reverse(int u, const int *in, int *out)\n"
                                 "{ int t = threadIdx.x; tile[t] = in[t];\n  __syncthreads();\n"
                                 "  out[t] = tile[u - 1 - t]; }\n// [your part ends]\n";
    const struct grade_text text = text_of(source);
    const struct grade_place place = {.known = false};
    struct trace trace = {.count = 0};
    struct grade_seen seen;
    struct error error = {""};
    static const char *const first[] = {"mov.u32 %r1, %ctaid.x", "mov.u32 %r2, %tid.x"};
    int loads = 0;
    assert_true(grade_record(exercises[REVERSE].made, &text, &place, &trace, &seen, &error));
    assert_true(trace.header.codes > 20);
    for (int i = 0; i < trace.header.codes; i++) {
        const struct trace_code *code = &trace.header.code[i];
        if (i < 2)
            assert_string_equal(code->text, first[i]);
        assert_string_equal(code->file, "exercise.cu");
        assert_int_equal(code->line, 4); /* whose kernel calls the part */
        loads += !strcmp(code->text, "ld.shared.s32 %r13, [%r12]");
    }
    assert_int_equal(loads, 1);
    assert_int_equal(trace.header.arrays, 1); /* the launch says how large it is */
    assert_string_equal(trace.header.array[0].name, "tile");
    assert_int_equal(trace.header.array[0].dims, 1);
    assert_int_equal(4 * trace.header.array[0].dim[0], trace.header.shared_bytes);
    assert_int_equal(trace.header.stages, 2);
    assert_string_equal(trace.header.stage[0], "write");
    assert_string_equal(trace.header.stage[1], "read");
    for (size_t i = 0; i < trace.count; i++) {
        const struct warp_access access = trace_get(&trace, i);
        const char *text = trace.header.code[trace.header.site[access.site].code - 1].text;
        assert_memory_equal(text, access.op == OP_LOAD ? "ld.shared" : "st.shared", 9);
        assert_int_equal(access.stage, access.op == OP_LOAD);
    }
    trace_free(&trace);
}

/* Bytes of arrays are told as elements, where the kernels that have the array agree on their type. */
static void bytes_are_told_as_elements(void **state)
{
    (void)state;
    static const char source[] =
        "__global__ void k(const float *in, int *out, double *own, int n) { __shared__ short "
        "tile[2][4];\n"
        "  tile[n][0] = in[n]; __syncthreads(); out[n] = tile[0][n] + own[n]; }\n"
        "__global__ void l(float *in, double *out) { out[0] = in[0]; }\n";
    static const struct {
        const char *told, *named;
    } rows[] = {
        {"at byte 8 of in (device memory)", "at in[2], byte 8 of in (device memory)"},
        {"at byte 8 of out (device memory)", "at byte 8 of out (device memory)"},
        {"at byte 8 of own (device memory)", "at own[1], byte 8 of own (device memory)"},
        {"at byte 8 of n (device memory)", "at byte 8 of n (device memory)"},
        {"at byte 8 of o (device memory)", "at byte 8 of o (device memory)"},
    };
    const struct kernelc_job job = {.allocator = &heap_allocator,
                                    .source = {"k.cu", source, sizeof source - 1}};
    struct kernelc_result compiled;
    assert_true(kernelc_compile(&job, &compiled));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char named[100];
        grade_name_arrays(&compiled, rows[i].told, named, sizeof named);
        assert_string_equal(named, rows[i].named);
    }
    kernelc_free(&compiled);
}

/* By its text, whatever its columns, before which a predicate may stand; the longest texts are cut. */
static void instructions_are_found_by_their_text(void **state)
{
    (void)state;
    static char cut[399], text[500], plain[] = "ld.shared.s32 %r1, [%r2]",
                                     guarded[] = "@%p1 st.shared.s32 [%r2], %r1";
    struct trace_code codes[] = {{.text = cut}, {.text = plain}, {.text = guarded}};
    const struct trace_header header = {.codes = 3, .code = codes};
    static const struct {
        const char *text;
        int found;
    } rows[] = {{"ld.shared.s32  \t%r1, [%r2];", 1},
                {"st.shared.s32 [%r2], %r1;", 2},
                {"st.shared.s32 [%r2], %r3;", -1},
                {"shared.s32 %r1, [%r2];", -1}};
    memset(cut, 'a', sizeof cut - 1);
    memset(text, 'a', sizeof text);
    assert_int_equal(kernel_code_find(&header, text, sizeof text), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(kernel_code_find(&header, rows[i].text, (int)strlen(rows[i].text) - 1),
                         rows[i].found);
}

/* What a goal asks for, as students read it. */
static void goals_are_told_in_words(void **state)
{
    (void)state;
    static const struct {
        const char *goals, *told[4];
    } rows[] = {
        {"stages write read\ngoal write accesses 3 times u conflicts 1\n"
         "goal read accesses 1 ways u + 2\n",
         {"stage write: 3 times u accesses of every thread",
          "stage write: at most 1 bank conflict at a time", "stage read: 1 access of every thread",
          "stage read: at least u + 2 ways in every access"}},
        {"goal loads accesses 2 to 4 conflicts 3\ngoal stores accesses 1 times u conflicts 0\n",
         {"loads: 2 to 4 accesses of every thread", "loads: at most 3 bank conflicts at a time",
          "stores: u accesses of every thread", "stores: no bank conflicts"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char table[1000];
        struct exercise exercise = {.owned = {NULL}};
        struct grade_marks marks;
        struct error trouble = {""};
        const struct grade_text none = text_of("// [your part begins]\n?\n// [your part ends]\n");
        int found = 0;
        snprintf(table, sizeof table,
                 "parameter u 32 1..64\nkernel copy\ngrid 1\nblock u\nshared 128 * u\n"
                 "input in u\noutput out u\n%spart none\nfollows each\ntry u=32\n",
                 rows[i].goals);
        exercise.texts =
            (struct grade_texts){text_of(table), text_of(names_exercise), text_of(names_grading)};
        make(&exercise);
        assert_true(grade_hand_in(exercise.made, &none, 7, &marks, &trouble));
        for (int k = 0; k < marks.findings && found < 4; k++)
            found += !strcmp(marks.finding[k].what, rows[i].told[found]);
        if (found < 4) {
            show(&marks, rows[i].goals);
            fail_msg("there is no \"%s\"", rows[i].told[found]);
        }
        grade_exercise_free(exercise.made);
    }
}

static void expect_bad_table(const char *table, const char *sign)
{
    struct grade_texts texts = exercises[REVERSE].texts;
    struct error error = {""};
    texts.table = text_of(table);
    assert_null(grade_exercise_new(&heap_allocator, &texts, &error));
    if (!strstr(error.text, sign))
        fail_msg("'%s' has no '%s'", error.text, sign);
}

static void tables_say_what_is_wrong(void **state)
{
    (void)state;
    expect_bad_table("", "no line 'kernel'");
    expect_bad_table("summary x\nnonsense 1\n", "line 2");
    expect_bad_table("parameter u 5 6..7\n", "line 1");
    expect_bad_table("parameter w 32 1..65\n", "line 1");
    expect_bad_table("grid 4 * v\n", "4 * v");
    expect_bad_table("stages a b\ngoal c accesses 1\n", "line 2");
    expect_bad_table("parameter u 8 1..64\nwhere 4 < u\n", "line 2");
    expect_bad_table("parameter u 8 1..64\nkernel turn\ngrid 1\nblock u\noutput out u\n"
                     "where 4 divides u\nstages a b\ngoal a accesses 1\ntry u=6\n",
                     "try 1");
    expect_bad_table("parameter u 4 1..8\ntry u=9\n", "line 2");
    expect_bad_table("inputs 4\n", "line 1");
    expect_bad_table("slip\n", "line 1");
    expect_bad_table("slip a hint\n", "line 1");
    expect_bad_table("slip : a hint\n", "line 1");
    expect_bad_table("hint a\nhint b\n  goes on\nhint c\nhint d\n", "line 5");
    expect_bad_table(
        "parameter u 64 2..2048\nkernel turn\ngrid 1\nblock u\ninput in u\noutput out u\n"
        "stages a b\ngoal a accesses 1\ntry u=2048\n",
        "no launch of that size");
    static const char *const sizes[] = {"grid n\nblock 4\n", "grid 1\nblock n\n",
                                        "grid 1\nblock 4\nshared 228 * 1024\n",
                                        "grid 1\nblock 4\nshared 9999 * 9999\n"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char table[400];
        snprintf(table, sizeof table,
                 "parameter u 4 4..4\nparameter n 0 0..4\nkernel turn\n%sinput in 4\noutput out "
                 "4\nstages a b\ngoal a accesses 1\ntry n=0\n",
                 sizes[i]);
        expect_bad_table(table, "no launch of that size");
    }
    expect_bad_table(
        "kernel turn\ngrid 1\nblock 4\noutput out 4\nstages a\ngoal a accesses 1\ntry\n", "'u'");
    char *much = malloc(70000);
    memset(much, '9', 69999);
    much[69999] = '\0';
    expect_bad_table(much, "line 1");
    free(much);
    /* A line has 1,023 characters at most, with those that go on with it; a comment may be longer. */
    static const struct {
        const char *line, *more, *sign;
        int length; /* of the line, filled up with blanks */
    } long_lines[] = {{"grid 1", "", "line 'kernel'", 1023},
                      {"grid 1", "", "line 2 of the exercise's table: longer", 1024},
                      {"grid 1", " *\n 2", "longer than 1023", 1021},
                      {"grid 1", " *\n 2", "line 'kernel'", 1019},
                      {"grid 1", "\n ", "line 2 of the exercise's table: longer", 1023},
                      {"# grid", "", "line 'kernel'", 2000},
                      {"", "", "line 'kernel'", 2000}};
    for (size_t i = 0; i < sizeof long_lines / sizeof *long_lines; i++) {
        char table[2100];
        snprintf(table, sizeof table, "block 4\n%-*s%s\n", long_lines[i].length, long_lines[i].line,
                 long_lines[i].more);
        expect_bad_table(table, long_lines[i].sign);
    }
}

/* Memory that is refused is trouble, never a mark. */
static long allowed;
static void *refusing(void *context, void *pointer, size_t old_size, size_t size)
{
    if (size > old_size && allowed-- <= 0)
        return NULL;
    return heap_allocator.resize(context, pointer, old_size, size);
}

static void refused_memory_is_trouble(void **state)
{
    (void)state;
    static const struct allocator allocator = {refusing, NULL};
    const char *const source =
        "// [your part begins]\n" WORD("k * u + t") "\n// [your part ends]\n";
    const struct grade_text text = text_of(source);
    struct grade_marks marks;
    struct error trouble = {""};
    allowed = 100000000;
    struct grade_exercise *made = grade_exercise_new(&allocator, &exercises[BANKS].texts, &trouble);
    assert_non_null(made);
    for (int i = 0; i < 300; i = i < 40 ? i + 1 : i + 13) {
        trouble.text[0] = '\0';
        allowed = i;
        if (grade_hand_in(made, &text, 7, &marks, &trouble)) {
            if (marks.points != marks.most)
                show(&marks, source);
            assert_int_equal(marks.points, marks.most);
        } else if (!strstr(trouble.text, "memory")) {
            fail_msg("memory %d is refused: '%s'", i, trouble.text);
        }
    }
    allowed = 100000000;
    grade_exercise_free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_attempts),
        cmocka_unit_test(nothing_too_many),
        cmocka_unit_test(a_wrong_word_is_followed),
        cmocka_unit_test(wide_accesses_count_by_words),
        cmocka_unit_test(atomics_store),
        cmocka_unit_test(the_first_miss_is_shown),
        cmocka_unit_test(parts_may_choose),
        cmocka_unit_test(numbers_must_move_through_shared_memory),
        cmocka_unit_test(the_table_says_what_to_a_mistake),
        cmocka_unit_test(a_part_is_a_unit_of_its_own),
        cmocka_unit_test(names_of_a_part_mean_nothing_before_it),
        cmocka_unit_test(accesses_are_attributed_by_place),
        cmocka_unit_test(what_stands_before_a_part_reads_nothing_for_it),
        cmocka_unit_test(functions_by_their_addresses_are_the_parts),
        cmocka_unit_test(inputs_are_read_only),
        cmocka_unit_test(shared_memory_must_be_used),
        cmocka_unit_test(runs_are_limited),
        cmocka_unit_test(the_same_seed_gives_the_same_marks),
        cmocka_unit_test(sources_need_their_marks),
        cmocka_unit_test(messages_have_the_lines_of_the_hand_in),
        cmocka_unit_test(a_recording_has_instructions_stages_and_arrays),
        cmocka_unit_test(bytes_are_told_as_elements),
        cmocka_unit_test(instructions_are_found_by_their_text),
        cmocka_unit_test(goals_are_told_in_words),
        cmocka_unit_test(tables_say_what_is_wrong),
        cmocka_unit_test(refused_memory_is_trouble),
    };
    return cmocka_run_group_tests_name("grade", tests, set_up, tear_down);
}
