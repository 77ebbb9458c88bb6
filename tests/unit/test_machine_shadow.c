/* machine_shadow: the checker's shadow of a large piece of global memory. */
#define _GNU_SOURCE
#include "tests/support/run_ptx.h"
#include "machine/check/check.h"
#include "machine/module.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static const size_t all = (size_t)4 << 30;

struct counted {
    size_t bytes, most;
};

static void *resize(void *context, void *pointer, size_t old_size, size_t size)
{
    struct counted *counted = context;
    counted->bytes += size - old_size;
    counted->most = counted->bytes > counted->most ? counted->bytes : counted->most;
    return heap_allocator.resize(heap_allocator.context, pointer, old_size, size);
}

/* Two blocks of one thread store at a word of 4 GiB, the second so many bytes behind the first. Returns the bytes that
 * the launch needed beyond what was there before. */
static size_t store_twice(uint8_t *at, uint64_t behind, struct ran *ran)
{
    static const char kernel[] =
        HEAD ".visible .entry k(.param .u64 p, .param .u64 d)\n{\n"
             ".reg .b32 %r<3>; .reg .b64 %rd<9>;\n"
             "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [d]; cvta.to.global.u64 %rd1, %rd1;\n"
             "mov.u32 %r1, %ctaid.x; cvt.u64.u32 %rd3, %r1;\n"
             "mad.lo.u64 %rd4, %rd3, %rd2, %rd1; st.global.u32 [%rd4], %r1; ret;\n}\n";
    const struct machine_text ptx = {kernel, sizeof kernel - 1, "t.ptx"};
    const struct machine_observer observer = {.context = ran, .print = print, .fault = find};
    struct counted counted = {0, 0};
    const struct allocator allocator = {resize, &counted};
    struct machine_memory *memory = machine_memory_new(&allocator);
    const struct machine_range range = {.address = (uintptr_t)at, .bytes = all, .host = at};
    const uint64_t parameters[] = {(uintptr_t)at, behind};
    memset(ran, 0, sizeof *ran);
    assert_true(machine_memory_add(memory, &range, false, &ran->error));
    struct machine_module *module = machine_load(memory, &ptx, 1, &ran->error);
    assert_non_null(module);
    const struct machine_launch launch = {.kernel = machine_kernel(module, "k"),
                                          .grid = {2, 1, 1},
                                          .block = {1, 1, 1},
                                          .parameters = parameters,
                                          .observer = &observer,
                                          .check = true,
                                          .global = true};
    const size_t before = counted.bytes;
    counted.most = 0;
    struct machine_run *run = machine_begin(&launch, &ran->error);
    assert_non_null(run);
    machine_work(run);
    machine_end(run, &ran->outcome);
    assert_true(ran->outcome.good);
    machine_free_run(run);
    const size_t most = counted.most - before;
    machine_unload(module);
    machine_memory_free(memory);
    assert_int_equal(counted.bytes, 0);
    return most;
}

static void far_words_are_apart(void **state)
{
    static const struct {
        uint64_t behind;
        int races;
    } rows[] = {
        {0, 1}, {4, 0}, {4096, 0}, {4 << 20, 0}, {(4 << 20) + 4, 0}, {UINT64_C(3) << 30, 0}};
    void *at =
        mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct ran ran;
    (void)state;
    assert_ptr_not_equal(at, MAP_FAILED);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        store_twice(at, rows[i].behind, &ran);
        assert_int_equal(ran.findings, rows[i].races);
    }
    munmap(at, all);
}

/* A launch that touches two words needs no table of all, which took longer than the launch. */
static void a_few_words_of_much_memory_need_little(void **state)
{
    void *at =
        mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct ran ran;
    (void)state;
    assert_ptr_not_equal(at, MAP_FAILED);
    assert_in_range(store_twice(at, UINT64_C(3) << 30, &ran), 1, 2 << 20);
    munmap(at, all);
}

/* Two blocks of a warp, one after the other: what each does, and which races are found. Word i of the array is thread i's
 * (%a; at %rd5 threads 1 and 2 have each other's); a row has 32. %p2 holds in thread 0, %p3 in thread 31. */
static void a_row_stands_for_its_cells(void **state)
{
    static const struct {
        const char *first, *second;
        int findings;
        const char *found; /* is in the last of them */
    } rows[] = {
        {"ld.global.u32 %r2, [%a];", "ld.global.u32 %r2, [%a];", 0, ""},
        /* A row that is read, and one word of it stored: by whom it was read. */
        {"ld.global.u32 %r2, [%a];", "@%p2 st.global.u32 [%p0+28], %t;", 1,
         "thread (7, 0, 0) of block (0, 0, 0)"},
        {"ld.global.u32 %r2, [%a];", "@%p2 st.global.u32 [%p0+128], %t;", 0, ""},
        {"@%p2 st.global.u32 [%p0+28], 1;", "ld.global.u32 %r2, [%a];", 1, "byte 28"},
        {"@%p2 st.global.u32 [%p0+128], 1;", "ld.global.u32 %r2, [%a];", 0, ""},
        /* A row that is stored, and read one word further. */
        {"st.global.u32 [%a], %t;", "ld.global.u32 %r2, [%a+4];", 1,
         "thread (1, 0, 0) of block (0, 0, 0)"},
        {"st.global.u32 [%a], %t;", "ld.global.u32 %r2, [%a+128];", 0, ""},
        {"st.global.u32 [%a], %t; ld.global.u32 %r2, [%a];", "", 0, ""},
        {"st.global.u32 [%a], %t; bar.sync 0; ld.global.u32 %r2, [%a+4];", "", 0, ""},
        /* 32 words that are no row; lanes that are not in line. */
        {"ld.global.u32 %r2, [%a+4];", "@%p2 st.global.u32 [%p0+128], 1;", 1,
         "thread (31, 0, 0) of block (0, 0, 0)"},
        {"ld.global.u32 %r2, [%rd5];", "@%p2 st.global.u32 [%p0+4], 1;", 1,
         "thread (2, 0, 0) of block (0, 0, 0)"},
        /* Stored twice: the same, and something else. */
        {"st.global.u32 [%a], %t;", "st.global.u32 [%a], %t;", 0, ""},
        {"st.global.u32 [%a], %t;", "st.global.u32 [%a], %r1;", 1,
         "thread (0, 0, 0) of block (0, 0, 0)"},
        /* A row with two readers: the first one is remembered. */
        {"ld.global.u32 %r2, [%a];",
         "ld.global.u32 %r2, [%a]; bar.sync 0; @%p2 st.global.u32 [%p0+28], 1;", 1,
         "thread (7, 0, 0) of block (0, 0, 0)"},
        /* A word that all lanes read, or one of them only, and that lane stores. */
        {"ld.global.u32 %r2, [%p0]; @%p2 st.global.u32 [%p0], 1;", "", 1, "of block (0, 0, 0)"},
        {"ld.global.u32 %r2, [%p0]; @%p3 st.global.u32 [%p0], 1;", "", 1, "of block (0, 0, 0)"},
        {"@%p2 ld.global.u32 %r2, [%p0]; @%p2 st.global.u32 [%p0], 1;", "", 0, ""},
    };
    static const char head[] =
        KERNEL "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %t, 0;\n"
               "setp.eq.u32 %p3, %t, 31; sub.u32 %r5, %t, 1; setp.lt.u32 %p4, %r5, 2; selp.u32 "
               "%r5, 3, 0, %p4;\n"
               "xor.b32 %r5, %t, %r5; mad.wide.u32 %rd5, %r5, 4, %p0;\n"
               "@%p1 bra FIRST;\n";
    static struct ran ran;
    char text[2048];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "%s%s\nret;\nFIRST: %s\nret;\n}\n", head, rows[i].second,
                 rows[i].first);
        memset(&ran, 0, sizeof ran);
        memset(ran.word, 255, sizeof ran.word);
        run_launch(text,
                   (struct machine_launch){
                       .grid = {2, 1, 1}, .block = {32, 1, 1}, .check = true, .global = true},
                   &ran);
        if (!ran.outcome.good || ran.findings != rows[i].findings ||
            !strstr(ran.found, rows[i].found))
            fail_msg("%s | %s: %d findings, %s%s%s", rows[i].first, rows[i].second, ran.findings,
                     ran.found, ran.error.text, ran.fault);
    }
}

/* A launch in which the clock of a block comes to its end is checked until then, which is said, and the next one as a
 * whole. */
static void a_clock_that_ends_is_said(void **state)
{
    static const char kernel[] =
        KERNEL "mov.u32 %r1, 0; AGAIN: bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 64;\n"
               "@%p1 bra AGAIN; st.global.u32 [%p0], %t; ret;\n}\n";
    static const struct machine_text ptx = {kernel, sizeof kernel - 1, "t.ptx"};
    static const uint32_t until[] = {0, CHECK_LAST_TIME - 20, 0};
    struct ran ran = {.findings = 0};
    const struct machine_observer observer = {.context = &ran, .fault = find};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    const uint64_t address = (uintptr_t)ran.word;
    const struct machine_range range = {
        .address = address, .bytes = sizeof ran.word, .host = (uint8_t *)ran.word};
    (void)state;
    assert_true(machine_memory_add(memory, &range, false, &ran.error));
    struct machine_module *module = machine_load(memory, &ptx, 1, &ran.error);
    assert_non_null(module);
    for (int i = 0; i < 3; i++) {
        if (until[i])
            memory->checked_until = until[i];
        ran.findings = 0;
        struct machine_run *run =
            machine_begin(&(struct machine_launch){.kernel = machine_kernel(module, "k"),
                                                   .grid = {1, 1, 1},
                                                   .block = {64, 1, 1},
                                                   .parameters = &address,
                                                   .observer = &observer,
                                                   .check = true,
                                                   .global = true},
                          &ran.error);
        assert_non_null(run);
        machine_work(run);
        machine_end(run, &ran.outcome);
        assert_true(ran.outcome.good);
        assert_int_equal(ran.outcome.partly_checked, until[i] > 0);
        assert_int_equal(ran.findings > 0, !until[i]);
        machine_free_run(run);
    }
    machine_unload(module);
    machine_memory_free(memory);
}

/* Two blocks on two threads store the same value. The first has been looked at by the checker, but is not executed
 * yet, when the second is looked at. */
struct pair {
    struct ran ran;
    struct machine_run *run;
    atomic_bool looked; /* by the checker at the first store */
};

static bool want(void *context, uint64_t block)
{
    (void)context;
    return block == 0;
}

/* Comes between the checker and the store. */
static void delay(void *context, const struct machine_access *access)
{
    const struct timespec wait = {0, 5000000};
    struct pair *pair = context;
    (void)access;
    atomic_store(&pair->looked, true);
    nanosleep(&wait, NULL);
}

static void hear_of_pair(void *context, const struct machine_fault *fault)
{
    struct pair *pair = context;
    find(&pair->ran, fault);
}

static void *work(void *context)
{
    struct pair *pair = context;
    machine_work(pair->run);
    return NULL;
}

static int races_of_stores_at_once(const char *value)
{
    char text[512];
    snprintf(text, sizeof text, "%smov.u32 %%r1, %%ctaid.x;\nst.global.u32 [%%p0], %s;\nret;\n}\n",
             KERNEL, value);
    const struct machine_text ptx = {text, strlen(text), "t.ptx"};
    struct pair pair = {.run = NULL};
    const struct machine_observer observer = {
        .context = &pair, .fault = hear_of_pair, .wants = want, .access = delay};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    const uint64_t address = (uintptr_t)pair.ran.word;
    const struct machine_range range = {
        .address = address, .bytes = sizeof pair.ran.word, .host = (uint8_t *)pair.ran.word};
    assert_true(machine_memory_add(memory, &range, false, &pair.ran.error));
    struct machine_module *module = machine_load(memory, &ptx, 1, &pair.ran.error);
    assert_non_null(module);
    const struct machine_launch launch = {.kernel = machine_kernel(module, "k"),
                                          .grid = {2, 1, 1},
                                          .block = {1, 1, 1},
                                          .parameters = &address,
                                          .observer = &observer,
                                          .check = true,
                                          .global = true};
    pair.run = machine_begin(&launch, &pair.ran.error);
    assert_non_null(pair.run);
    pthread_t first;
    assert_int_equal(pthread_create(&first, NULL, work, &pair), 0);
    while (!atomic_load(&pair.looked))
        nanosleep(&(struct timespec){0, 10000}, NULL);
    machine_work(pair.run);
    assert_int_equal(pthread_join(first, NULL), 0);
    machine_end(pair.run, &pair.ran.outcome);
    assert_true(pair.ran.outcome.good);
    machine_free_run(pair.run);
    machine_unload(module);
    machine_memory_free(memory);
    return pair.ran.findings;
}

static void a_store_that_is_not_executed_yet_is_waited_for(void **state)
{
    (void)state;
    assert_int_equal(races_of_stores_at_once("7"), 0);
    assert_int_equal(races_of_stores_at_once("%r1"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_that_ends_is_said),
        cmocka_unit_test(far_words_are_apart),
        cmocka_unit_test(a_few_words_of_much_memory_need_little),
        cmocka_unit_test(a_row_stands_for_its_cells),
        cmocka_unit_test(a_store_that_is_not_executed_yet_is_waited_for),
    };
    return cmocka_run_group_tests_name("machine_shadow", tests, NULL, NULL);
}
