/* test_machine_patterns.c - loads and stores whose lanes the machine looks at together (operations/pattern.inc) do, cost and
 * find what they do lane by lane, as blocks are executed that an observer wants to see.
 *
 * A kernel stores to places that a table draws for each thread, and loads from others: rows, halves, one place for
 * all, columns, pairs, places drawn by lot; all lanes or some of them. Barriers are between some of the steps, so
 * that some accesses race.
 */
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOWHERE UINT32_MAX
enum { THREADS = 128, STEPS = 24, PLACES = 1100, FOUND = 64, COUNTS = 32 };

/* %p0: of struct arrays; %t: the thread; %r1: the step; place of the step's store and load: %r2, %r3. */
static const char kernel[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 p)\n{\n"
    ".shared .align 16 .b8 s[%d];\n"
    ".reg .pred %%q<9>; .reg .b16 %%h<9>; .reg .b32 %%r<30>; .reg .b64 %%rd<30>;\n"
    "ld.param.u64 %%rd1, [p]; cvta.to.global.u64 %%rd1, %%rd1; mov.u32 %%r4, %%tid.x;\n"
    "mov.u32 %%r1, 0; mov.u32 %%r9, 0;\n"
    "LOOP: mad.lo.u32 %%r5, %%r1, %d, %%r4; mad.wide.u32 %%rd2, %%r5, 8, %%rd1;\n"
    "ld.global.u32 %%r2, [%%rd2]; ld.global.u32 %%r3, [%%rd2+4];\n"
    "setp.eq.u32 %%q1, %%r2, -1; setp.eq.u32 %%q2, %%r3, -1; and.b32 %%r6, %%r1, 3;\n"
    "setp.ne.u32 %%q3, %%r6, 0; and.b32 %%r6, %%r1, 4; setp.eq.u32 %%q4, %%r6, 0;\n"
    "selp.b32 %%r7, 7, %%r4, %%q4;\n" /* half of the steps store alike */
    "mul.lo.u32 %%r2, %%r2, %d; mul.lo.u32 %%r3, %%r3, %d;\n"
    "@%%q1 bra STORED;\n%s\nSTORED: @%%q3 bra WAITED; bar.sync 0;\n"
    "WAITED: mov.u32 %%r8, 0; @%%q2 bra LOADED;\n%s\n"
    "LOADED: add.u32 %%r9, %%r9, %%r8; add.u32 %%r1, %%r1, 1; setp.lt.u32 %%q5, %%r1, %d; @%%q5 "
    "bra LOOP;\n"
    "mad.wide.u32 %%rd2, %%r4, 4, %%rd1; st.global.u32 [%%rd2+%d], %%r9;\n"
    "ret; }\n";

/* The access, where %r2 and %r3 are bytes from the array's beginning. */
static const struct shape {
    const char *name;
    int bytes;
    const char *store, *load;
} shapes[] = {
    {"words of shared memory", 4,
     "mov.u32 %r5, s; add.u32 %r5, %r5, %r2; st.shared.u32 [%r5], %r7;",
     "mov.u32 %r5, s; add.u32 %r5, %r5, %r3; ld.shared.u32 %r8, [%r5];"},
    {"bytes of shared memory", 1, "mov.u32 %r5, s; add.u32 %r5, %r5, %r2; st.shared.u8 [%r5], %r7;",
     "mov.u32 %r5, s; add.u32 %r5, %r5, %r3; ld.shared.u8 %r8, [%r5];"},
    {"vectors of shared memory", 16,
     "mov.u32 %r5, s; add.u32 %r5, %r5, %r2; st.shared.v4.u32 [%r5], {%r7, %r7, %r7, %r7};",
     "mov.u32 %r5, s; add.u32 %r5, %r5, %r3; ld.shared.v4.u32 {%r10, %r11, %r12, %r8}, [%r5];"},
    {"words and vectors of shared memory", 8,
     "mov.u32 %r5, s; add.u32 %r5, %r5, %r2; st.shared.u32 [%r5+4], %r7;",
     "mov.u32 %r5, s; add.u32 %r5, %r5, %r3; ld.shared.v2.u32 {%r10, %r8}, [%r5];"},
    {"words of global memory", 4,
     "cvt.u64.u32 %rd3, %r2; add.u64 %rd3, %rd3, %rd1;\n"
     "st.global.u32 [%rd3+32768], %r7;",
     "cvt.u64.u32 %rd3, %r3; add.u64 %rd3, %rd3, %rd1; ld.global.u32 %r8, [%rd3+32768];"},
    {"bytes of global memory", 1,
     "cvt.u64.u32 %rd3, %r2; add.u64 %rd3, %rd3, %rd1;\n"
     "st.global.u8 [%rd3+32768], %r7;",
     "cvt.u64.u32 %rd3, %r3; add.u64 %rd3, %rd3, %rd1; ld.global.u8 %r8, [%rd3+32768];"},
    {"pairs of global memory, by generic addresses", 8,
     "cvt.u64.u32 %rd3, %r2; add.u64 %rd3, %rd3, %rd1; st.v2.u32 [%rd3+32768], {%r7, %r7};",
     "cvt.u64.u32 %rd3, %r3; add.u64 %rd3, %rd3, %rd1; ld.v2.u32 {%r10, %r8}, [%rd3+32768];"},
};

struct arrays {
    uint32_t table[STEPS * THREADS][2]; /* of the store, of the load */
    uint32_t result[THREADS];
    uint8_t unused[32768 - (2 * STEPS + 1) * THREADS * 4];
    uint8_t data[PLACES * 16];
};

struct ran {
    _Alignas(256) struct arrays arrays; /* alike to sectors in both runs */
    struct machine_fault found[FOUND];
    int finds, counts;
    struct machine_count count[COUNTS];
    struct error error;
};

/* ---- drawing -------------------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

/* Where the lanes of a warp are. */
static void draw_places(uint64_t *seed, uint32_t *place)
{
    const uint32_t kind = draw(seed, 13), first = draw(seed, 40), step = 1 + draw(seed, 33);
    const uint32_t half = first / 16 * 16;
    const uint32_t some =
        draw(seed, 3) ? UINT32_MAX : draw(seed, UINT32_MAX) | 1u << draw(seed, 32);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t places[] = {first + i,
                                   first,
                                   first + i % 16,
                                   first + i / 16,
                                   first + i * step,
                                   first + i / 2,
                                   first + (31 - i),
                                   draw(seed, PLACES),
                                   draw(seed, 24),
                                   first / 32 * 32 + i,
                                   half + i,
                                   half + i % 16,
                                   half + i + i / 16 * 32};
        place[2 * i] = some >> i & 1 ? places[kind] : NOWHERE;
    }
}

static void draw_table(uint64_t seed, struct arrays *arrays)
{
    for (int row = 0; row < STEPS * THREADS; row += 32)
        for (int k = 0; k < 2; k++)
            draw_places(&seed, &arrays->table[row][k]);
}

/* ---- running -------------------------------------------------------------------------------------- */

static void find(void *context, const struct machine_fault *fault)
{
    struct ran *ran = context;
    assert_true(ran->finds < FOUND);
    ran->found[ran->finds++] = *fault;
}

static bool want(void *context, uint64_t block)
{
    (void)context;
    (void)block;
    return true;
}

static void see(void *context, const struct machine_access *access)
{
    (void)context;
    (void)access;
}

static void run_kernel(const char *text, bool lane_by_lane, struct ran *ran)
{
    const struct machine_text ptx = {text, strlen(text), "t.ptx"};
    const struct machine_observer observer = {.context = ran,
                                              .fault = find,
                                              .wants = lane_by_lane ? want : NULL,
                                              .access = lane_by_lane ? see : NULL};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    const uint64_t address = (uintptr_t)&ran->arrays;
    const struct machine_range range = {
        .address = address, .bytes = sizeof ran->arrays, .host = (uint8_t *)&ran->arrays};
    assert_true(machine_memory_add(memory, &range, true, &ran->error));
    machine_memory_written(memory, address, sizeof ran->arrays.table);
    struct machine_module *module = machine_load(memory, &ptx, 1, &ran->error);
    struct machine_launch launch = {.kernel = module ? machine_kernel(module, "k") : NULL,
                                    .grid = {1, 1, 1},
                                    .block = {THREADS, 1, 1},
                                    .parameters = &address,
                                    .observer = &observer,
                                    .check = true,
                                    .count = true,
                                    .global = true};
    struct machine_run *run = module ? machine_begin(&launch, &ran->error) : NULL;
    struct machine_outcome outcome;
    if (!run)
        fail_msg("%s", ran->error.text);
    machine_work(run);
    machine_end(run, &outcome);
    if (!outcome.good)
        fail_msg("%s", outcome.fault.text);
    ran->counts = outcome.counts;
    assert_true(outcome.counts <= COUNTS);
    memcpy(ran->count, outcome.count, (size_t)outcome.counts * sizeof *ran->count);
    machine_free_run(run);
    machine_unload(module);
    machine_memory_free(memory);
}

/* Whether both found the same at the same places, as often. Which of several threads is named may differ. */
static bool found_alike(const struct ran *one, const struct ran *other)
{
    bool alike = one->finds == other->finds;
    for (int i = 0; alike && i < one->finds; i++) {
        const struct machine_fault *a = &one->found[i], *b = &other->found[i];
        alike = a->kind == b->kind && a->site == b->site && a->other_site == b->other_site &&
                a->count == b->count && !strncmp(a->text, b->text, strcspn(a->text, ","));
        if (!alike)
            print_message("    # %s: %llu times, and %s: %llu\n", a->text,
                          (unsigned long long)a->count, b->text, (unsigned long long)b->count);
    }
    return alike;
}

static void lanes_together_are_as_lanes_by_themselves(void **state)
{
    enum { SHAPES = sizeof shapes / sizeof *shapes, TRIES = 40 };
    static struct ran ran[2];
    uint64_t found = 0, conflicts = 0;
    (void)state;
    for (int i = 0; i < SHAPES * TRIES; i++) {
        const struct shape *shape = &shapes[i / TRIES];
        char text[4096];
        snprintf(text, sizeof text, kernel, PLACES * shape->bytes, THREADS, shape->bytes,
                 shape->bytes, shape->store, shape->load, STEPS,
                 (int)offsetof(struct arrays, result));
        for (int k = 0; k < 2; k++) {
            memset(&ran[k], 0, sizeof ran[k]);
            draw_table((uint64_t)i, &ran[k].arrays);
            run_kernel(text, k, &ran[k]);
        }
        if (!found_alike(&ran[0], &ran[1]) || ran[0].counts != ran[1].counts ||
            memcmp(ran[0].count, ran[1].count, sizeof ran[0].count) != 0 ||
            memcmp(&ran[0].arrays, &ran[1].arrays, sizeof ran[0].arrays) != 0)
            fail_msg("%s, drawn with %d: found %d and %d", shape->name, i, ran[0].finds,
                     ran[1].finds);
        found += (uint64_t)ran[0].finds;
        for (int k = 0; k < ran[0].counts; k++)
            conflicts += ran[0].count[k].conflicts;
    }
    assert_true(found > 100 && conflicts > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_together_are_as_lanes_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
