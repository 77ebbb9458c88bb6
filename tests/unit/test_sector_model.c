/* test_sector_model.c - sectors of 32 bytes that a request of a warp takes: the rules of doc/global-memory.md,
 * and against a count by the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

/* 32 lanes (or as many), lane i at base + i * step. */
static struct sector_cost stride(enum op op, int bytes, int lanes, uint64_t base, uint64_t step)
{
    uint64_t address[MAX_WARP];
    struct sector_cost cost;
    for (int i = 0; i < lanes; i++)
        address[i] = base + (uint64_t)i * step;
    uint8_t lane[MAX_WARP];
    for (int i = 0; i < lanes; i++)
        lane[i] = (uint8_t)i;
    const struct warp_access access = {
        .op = op, .bytes = bytes, .lanes = lanes, .lane = lane, .global = address};
    sector_model_cost(&access, &cost);
    return cost;
}

static void test_patterns(void **unused)
{
    static const struct {
        const char *what;
        enum op op;
        int bytes, lanes;
        uint64_t base, step;
        int sectors, least;
    } rows[] = {
        {"side by side", OP_LOAD, 4, 32, 0x1000, 4, 4, 4},
        {"one word further", OP_LOAD, 4, 32, 0x1004, 4, 5, 4},
        {"every second word", OP_LOAD, 4, 32, 0x1000, 8, 8, 4},
        {"a column", OP_STORE, 4, 32, 0x1000, 512, 32, 4},
        {"one word for all", OP_LOAD, 4, 32, 0x1000, 0, 1, 1},
        {"bytes", OP_LOAD, 1, 32, 0x1000, 1, 1, 1},
        {"vectors of 16 bytes", OP_LOAD, 16, 32, 0x1000, 16, 16, 16},
        {"vectors, apart", OP_STORE, 16, 32, 0x1000, 32, 32, 16},
        {"half a warp", OP_LOAD, 8, 16, 0x1000, 8, 4, 4},
        {"downwards", OP_LOAD, 4, 32, 0x1080, (uint64_t)-4, 5, 4},
        {"atomics side by side", OP_ATOMIC, 4, 32, 0x1000, 4, 4, 4},
        {"atomics on one word", OP_REDUCTION, 4, 32, 0x1000, 0, 32, 1},
        {"a load from the middle of a sector", OP_LOAD, 16, 32, 0x1010, 16, 17, 16},
        {"a copy from there", OP_ASYNC_LOAD, 16, 32, 0x1010, 16, 17, 16},
        {"a copy from a sector's begin", OP_ASYNC_LOAD, 16, 32, 0x1000, 16, 16, 16},
        {"a copy of one place by all", OP_ASYNC_LOAD, 16, 32, 0x1000, 0, 1, 1},
        {"a copy of 8 bytes", OP_ASYNC_LOAD, 8, 32, 0x1008, 8, 9, 8},
        {"a copy past L1", OP_ASYNC_LOAD_CG, 16, 32, 0x1000, 16, 16, 16},
        {"a copy past L1 from the middle of a sector", OP_ASYNC_LOAD_CG, 16, 32, 0x1010, 16, 20,
         16},
        {"a copy past L1 of every second place", OP_ASYNC_LOAD_CG, 16, 32, 0x1020, 32, 24, 16},
        {"a copy past L1 of one place by all", OP_ASYNC_LOAD_CG, 16, 32, 0x1000, 0, 1, 1},
        {"a copy past L1 by two lanes", OP_ASYNC_LOAD_CG, 16, 2, 0x1010, 16, 1, 1},
        {"64 lanes", OP_LOAD, 4, 64, 0x1000, 4, 8, 8},
        {"near the end of memory", OP_LOAD, 8, 32, MAX_ADDRESS - 256, 8, 8, 8},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sector_cost cost =
            stride(rows[i].op, rows[i].bytes, rows[i].lanes, rows[i].base, rows[i].step);
        if (cost.sectors != rows[i].sectors || cost.least != rows[i].least)
            fail_msg("%s: %d sectors, %d at least; not %d, %d", rows[i].what, cost.sectors,
                     cost.least, rows[i].sectors, rows[i].least);
    }
}

/* Pairs of lanes on one word: the second lanes of all words go together, once more over their sectors. */
static void test_atomics_go_in_rounds(void **unused)
{
    uint64_t address[32];
    struct sector_cost cost;
    (void)unused;
    for (uint64_t i = 0; i < 32; i++)
        address[i] = 0x2000 + i / 2 * 4;
    struct warp_access access = {.op = OP_REDUCTION, .bytes = 4, .lanes = 32, .global = address};
    sector_model_cost(&access, &cost);
    assert_int_equal(cost.sectors, 4); /* 16 words are 2 sectors, twice */
    assert_int_equal(cost.least, 2);
    access.op = OP_LOAD;
    sector_model_cost(&access, &cost);
    assert_int_equal(cost.sectors, 2);
}

/* Every row that an H100 counted: exact, or an estimate that is low: of atomic operations by at most 2 sectors. */
static void test_equals_the_counters(void **unused)
{
    static char line[1024];
    int rows = 0, estimates = 0, low = 0;
    FILE *file = fopen("tests/data/h100-sector-rule.csv", "r");
    (void)unused;
    if (!file)
        fail_msg("tests/data/h100-sector-rule.csv: cannot open it");
    while (fgets(line, sizeof line, file)) {
        char op[32];
        int bytes, requests, sectors, used = 0;
        unsigned mask;
        uint64_t address[MAX_WARP];
        uint8_t lane[MAX_WARP];
        struct sector_cost cost;
        if (sscanf(line, "%31[^,],%d,%x,%d,%d,%n", op, &bytes, &mask, &requests, &sectors, &used) !=
            5)
            continue;
        struct warp_access access = {.op = !strncmp(op, "cp.async.cg", 11) ? OP_ASYNC_LOAD_CG
                                           : !strncmp(op, "cp.async", 8)   ? OP_ASYNC_LOAD
                                           : !strncmp(op, "red", 3)        ? OP_REDUCTION
                                                                           : OP_ATOMIC,
                                     .bytes = bytes,
                                     .lane = lane,
                                     .global = address};
        char *at = line + used;
        for (int i = 0; i < 32; i++)
            if (mask >> i & 1) {
                lane[access.lanes] = (uint8_t)i;
                address[access.lanes++] = 0x7f0000000000 + strtoul(at, &at, 10);
            }
        if (!access.lanes)
            continue;
        sector_model_cost(&access, &cost);
        const int most = access.op == OP_ASYNC_LOAD_CG ? sectors : cost.sectors + 2;
        if (cost.estimate ? cost.sectors > sectors || sectors > most : cost.sectors != sectors)
            fail_msg("model %d sectors, counted: %s", cost.sectors, line);
        rows++;
        estimates += cost.estimate;
        low += cost.sectors < sectors;
    }
    fclose(file);
    assert_int_equal(rows, 1953);
    assert_int_equal(estimates, 117);
    assert_int_equal(low, 70);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int distinct(uint64_t *number, int count)
{
    int different = count > 0;
    qsort(number, (size_t)count, sizeof *number, compare);
    for (int i = 1; i < count; i++)
        different += number[i] != number[i - 1];
    return different;
}

/* By the definition, slowly: loads touch the distinct sectors of all bytes; of atomic operations each round
 * does. */
static void by_definition(const struct warp_access *access, struct sector_cost *cost)
{
    uint64_t list[MAX_WARP], place[MAX_WARP];
    const bool rounds = op_is_atomic(access->op);
    cost->sectors = 0;
    for (int round = 0; round < MAX_WARP; round++) {
        int count = 0;
        for (int i = 0; i < access->lanes; i++) {
            int before = 0;
            for (int k = 0; k < i && rounds; k++)
                before += access->global[k] == access->global[i];
            if (before == round)
                list[count++] = access->global[i] / 32;
        }
        cost->sectors += distinct(list, count);
    }
    memcpy(place, access->global, (size_t)access->lanes * sizeof *place);
    cost->least = (distinct(place, access->lanes) * access->bytes + 31) / 32;
}

static void test_random_accesses(void **unused)
{
    static const enum op ops[] = {OP_LOAD, OP_STORE, OP_ATOMIC, OP_REDUCTION};
    uint64_t random = 12345, address[MAX_WARP];
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const int bytes = 1 << (random >> 60) % 5, lanes = 1 + (int)(random >> 50) % MAX_WARP;
        const uint64_t span = UINT64_C(1) << (random >> 40) % 20;
        for (int k = 0; k < lanes; k++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            address[k] = (0x10000000 + (random >> 33) % span) * (uint64_t)bytes;
        }
        const struct warp_access access = {
            .op = ops[i % 4], .bytes = bytes, .lanes = lanes, .global = address};
        struct sector_cost cost, expected;
        sector_model_cost(&access, &cost);
        by_definition(&access, &expected);
        assert_int_equal(cost.sectors, expected.sectors);
        assert_int_equal(cost.least, expected.least);
    }
}

/* The bank model has nothing to say of global memory. */
static void test_no_passes(void **unused)
{
    const struct trace_header header = {.banks = 32, .bank_bytes = 4, .warp = 32};
    const uint64_t address[] = {0x1000, 0x2000};
    const uint8_t lane[] = {0, 1};
    const struct warp_access access = {
        .op = OP_LOAD, .bytes = 8, .lanes = 2, .lane = lane, .global = address};
    struct bank_cost cost;
    (void)unused;
    bank_model_cost(&header, &access, &cost);
    assert_int_equal(cost.passes, 0);
    assert_int_equal(cost.conflicts, 0);
    assert_int_equal(cost.ways, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_the_counters), cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_atomics_go_in_rounds), cmocka_unit_test(test_random_accesses),
        cmocka_unit_test(test_no_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
