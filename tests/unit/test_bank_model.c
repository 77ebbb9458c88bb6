/* test_bank_model.c - the bank model equals a GPU's counters, and generalises as documented.
 *
 * doc/bank-model.md states the rule and how tests/data/h200-wide-rule.csv was measured.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/instrument.h"

/* ---- what the GPU counted ------------------------------------------------------------------ */

/* One row of the table. */
struct counted {
    enum op op;
    int bytes, lanes, instructions, passes, conflicts;
    uint8_t lane[32];
    uint32_t addr[32];
};

/* "load,8,00010001,1,1,0,0 4": operation, bytes per lane, mask of the active lanes, counts for one
 * execution, element of each active lane (address = element * bytes). Fails the test on any other
 * shape, counts that are no whole numbers included. */
static void parse_row(char *line, struct counted *row)
{
    char op[8];
    unsigned mask;
    int used = -1;
    assert_int_equal(sscanf(line, "%7[a-z],%d,%x,%d,%d,%d,%n", op, &row->bytes, &mask,
                            &row->instructions, &row->passes, &row->conflicts, &used),
                     6);
    assert_true(used > 0);
    assert_true(strcmp(op, "load") == 0 || strcmp(op, "store") == 0);
    row->op = op[0] == 'l' ? OP_LOAD : OP_STORE;
    row->lanes = 0;
    char *at = line + used;
    for (int lane = 0; lane < 32; lane++) {
        if ((mask >> lane & 1) == 0)
            continue;
        char *end;
        unsigned long element = strtoul(at, &end, 10);
        assert_true(end > at);
        row->lane[row->lanes] = (uint8_t)lane;
        row->addr[row->lanes++] = (uint32_t)element * (uint32_t)row->bytes;
        at = end;
    }
    assert_string_equal(at, "\n");
}

/* Every row of the table, to the last unit: passes and conflicts of one execution. */
static void test_equals_the_counters(void **unused)
{
    static const char path[] = "tests/data/h200-wide-rule.csv";
    char line[1024];
    int rows = 0, unequal = 0, seen[2][17] = {{0}};
    FILE *file = fopen(path, "r");
    (void)unused;
    if (file == NULL)
        fail_msg("%s: cannot open it; run the test in the root of the tree", path);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || strncmp(line, "op,", 3) == 0)
            continue;
        struct counted row;
        const struct trace_header header = {.banks = 32, .bank_bytes = 4, .warp = 32};
        struct bank_cost cost;
        parse_row(line, &row);
        struct warp_access access = {.op = row.op,
                                     .bytes = row.bytes,
                                     .lanes = row.lanes,
                                     .lane = row.lane,
                                     .addr = row.addr};
        bank_model_cost(&header, &access, &cost);
        assert_int_equal(row.instructions, 1);
        if (cost.passes != row.passes || cost.conflicts != row.conflicts) {
            if (unequal++ < 5)
                print_error("model %d passes, %d conflicts; counted: %s", cost.passes,
                            cost.conflicts, line);
        }
        rows++;
        seen[row.op][row.bytes]++;
    }
    fclose(file);
    assert_int_equal(unequal, 0);
    for (int op = 0; op < 2; op++)
        for (int bytes = 1; bytes <= 16; bytes *= 2)
            assert_true(seen[op][bytes] >= 281);
    assert_int_equal(rows, 3970);
}

/* Atomic operations, ldmatrix and stmatrix, as tests/data/h200-other-rule.csv has them. */
enum { LD = 1, ST = 4, ATOM = 7 };
static const struct other {
    const char *name;
    enum op op;
    int lanes;       /* that give an address */
    int passes_each; /* of one by the rule */
    int column;      /* of the passes */
} others[] = {{"add.u32", OP_ATOMIC, 32, 1, ATOM},
              {"add.u32 without result", OP_ATOMIC, 32, 1, ATOM},
              {"add.u32 of 1", OP_ATOMIC, 32, 1, ATOM},
              {"add.u32 of 1 without result", OP_MERGED_ATOMIC, 32, 1, ATOM},
              {"inc.u32", OP_ATOMIC, 32, 1, ATOM},
              {"min.s32", OP_ATOMIC, 32, 1, ATOM},
              {"max.s32 without result", OP_ATOMIC, 32, 1, ATOM},
              {"or.b32", OP_ATOMIC, 32, 1, ATOM},
              {"exch.b32", OP_ATOMIC, 32, 1, ATOM},
              {"exch.b64", OP_ATOMIC, 32, 1, ATOM},
              {"add.f32", OP_SPIN, 32, 1, ATOM},
              {"cas.b32", OP_ATOMIC, 32, 2, ATOM},
              {"cas.b64", OP_ATOMIC, 32, 2, ATOM},
              {"ldmatrix.x1", OP_MATRIX_LOAD, 8, 1, LD},
              {"ldmatrix.x2", OP_MATRIX_LOAD, 16, 1, LD},
              {"ldmatrix.x4", OP_MATRIX_LOAD, 32, 1, LD},
              {"ldmatrix.x4.trans", OP_MATRIX_LOAD, 32, 1, LD},
              {"stmatrix.x1", OP_MATRIX_STORE, 8, 1, ST},
              {"stmatrix.x2", OP_MATRIX_STORE, 16, 1, ST},
              {"stmatrix.x4", OP_MATRIX_STORE, 32, 1, ST},
              {"stmatrix.x4.trans", OP_MATRIX_STORE, 32, 1, ST}};

/* Every row of these operations, to the last unit. */
static void test_other_operations(void **unused)
{
    char line[1024], name[32];
    int rows = 0, unequal = 0;
    FILE *file = fopen("tests/data/h200-other-rule.csv", "r");
    (void)unused;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        const struct other *other = NULL;
        int bytes, used = -1;
        unsigned mask;
        double count[14];
        if (sscanf(line, "%31[^,],%d,%x%n", name, &bytes, &mask, &used) != 3)
            continue;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (strcmp(others[i].name, name) == 0)
                other = &others[i];
        if (other == NULL)
            continue;
        char *at = line + used;
        for (int i = 0; i < 14; i++) {
            assert_int_equal(*at, ',');
            count[i] = strtod(at + 1, &at);
        }
        uint8_t lane[32];
        uint32_t addr[32];
        struct warp_access access = {.op = other->op, .bytes = bytes, .lane = lane, .addr = addr};
        at++;
        for (int i = 0; i < 32; i++)
            if (mask >> i & 1) {
                uint32_t element = (uint32_t)strtoul(at, &at, 10);
                if (i >= other->lanes)
                    continue;
                lane[access.lanes] = (uint8_t)i;
                addr[access.lanes++] = element * (uint32_t)bytes;
            }
        const struct trace_header header = {.banks = 32, .bank_bytes = 4, .warp = 32};
        struct bank_cost cost;
        bank_model_cost(&header, &access, &cost);
        const double *counted = count + other->column;
        /* A loop of swaps takes turns. */
        double times = other->op == OP_SPIN ? counted[-1] : other->passes_each;
        if (counted[0] != cost.passes * times || counted[1] != cost.conflicts)
            if (unequal++ < 5)
                print_error("model %d passes, %d conflicts; counted: %s", cost.passes,
                            cost.conflicts, line);
        rows++;
    }
    fclose(file);
    assert_int_equal(unequal, 0);
    assert_int_equal(rows, 2602);
}

/* Which of numbers of 16 bytes a lane swaps, in one of 16 patterns. */
static uint32_t wide_element(int pattern, uint32_t lane)
{
    const uint32_t of[16] = {lane,
                             0,
                             2 * lane,
                             8 * lane,
                             7 * lane % 32,
                             lane / 2,
                             lane ^ 5,
                             4 * lane,
                             (lane * lane * 5 + 3 * lane) % 61,
                             lane % 8 * 8 + lane / 8,
                             lane / 8,
                             lane % 4,
                             (lane * 2654435761u >> 20) % 200,
                             (lane * 40503u >> 5) % 37,
                             lane % 2 * 8,
                             3 * lane};
    return of[pattern];
}

/* atom.exch.b128 and atom.cas.b128, whose passes are twice as many with as many conflicts: an H200, CUDA 13.0, on 2026-11-29,
 * l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom and l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom. */
static void test_swaps_of_16_bytes(void **unused)
{
    static const uint32_t mask[3] = {0xffffffff, 0x5555ffff, 0x0000f0f3};
    static const int groups[3] = {4, 4, 2};
    static const int counted[16][3] = {{4, 4, 2}, {32, 24, 10}, {8, 8, 3},    {32, 24, 10},
                                       {4, 4, 2}, {8, 6, 4},    {4, 4, 2},    {16, 16, 5},
                                       {8, 8, 4}, {32, 24, 10}, {32, 24, 10}, {8, 8, 3},
                                       {7, 5, 3}, {13, 10, 6},  {32, 24, 10}, {4, 4, 2}};
    const struct trace_header header = {.banks = 32, .bank_bytes = 4, .warp = 32};
    (void)unused;
    for (int i = 0; i < 16 * 3 * 2; i++) {
        const int pattern = i / 6, some = i / 2 % 3, twice = 1 + i % 2;
        uint8_t lane[32];
        uint32_t addr[32];
        struct warp_access access = {.op = twice == 2 ? OP_COMPARE_AND_SWAP : OP_ATOMIC,
                                     .bytes = 16,
                                     .lane = lane,
                                     .addr = addr};
        struct bank_cost cost;
        for (int k = 0; k < 32; k++)
            if (mask[some] >> k & 1) {
                lane[access.lanes] = (uint8_t)k;
                addr[access.lanes++] = 16 * wide_element(pattern, (uint32_t)k);
            }
        bank_model_cost(&header, &access, &cost);
        assert_int_equal(cost.passes, twice * counted[pattern][some]);
        assert_int_equal(cost.conflicts, counted[pattern][some] - groups[some]);
    }
}

/* ---- cases worked out by hand -------------------------------------------------------------- */

/* The cost of a warp access in which lane[i] uses the bytes from addr[i], in a warp of as many
 * lanes as there are banks. */
static struct bank_cost cost_of(int banks, int bank_bytes, enum op op, int bytes, int lanes,
                                const uint8_t *lane, const uint32_t *addr)
{
    struct warp_access access = {
        .op = op, .bytes = bytes, .lanes = lanes, .lane = lane, .addr = addr};
    const struct trace_header header = {.banks = banks, .bank_bytes = bank_bytes, .warp = banks};
    struct bank_cost cost = {0}; /* what is not of the header's banks stays */
    bank_model_cost(&header, &access, &cost);
    return cost;
}

static void expect(struct bank_cost cost, int ways, int passes, int conflicts)
{
    assert_int_equal(cost.ways, ways);
    assert_int_equal(cost.passes, passes);
    assert_int_equal(cost.conflicts, conflicts);
    assert_int_equal(cost.least, passes - conflicts);
}

#define LANES(...) ((const uint8_t[]){__VA_ARGS__})
#define BYTES_AT(...) ((const uint32_t[]){__VA_ARGS__})

/* Nobody takes part: the instruction is issued, and no bank is cycled. */
static void test_no_lane_costs_nothing(void **unused)
{
    (void)unused;
    expect(cost_of(32, 4, OP_LOAD, 4, 0, LANES(0), BYTES_AT(0)), 0, 0, 0);
    expect(cost_of(32, 4, OP_STORE, 16, 0, LANES(0), BYTES_AT(0)), 0, 0, 0);
}

/* Words 0 and 32 are both in bank 0: two passes. The same word twice: one, stored or loaded. */
static void test_four_bytes(void **unused)
{
    (void)unused;
    for (int op = OP_LOAD; op <= OP_STORE; op++) {
        expect(cost_of(32, 4, op, 4, 2, LANES(3, 9), BYTES_AT(0, 128)), 2, 2, 1);
        expect(cost_of(32, 4, op, 4, 2, LANES(3, 9), BYTES_AT(128, 128)), 1, 1, 0);
        expect(cost_of(32, 4, op, 4, 3, LANES(3, 9, 30), BYTES_AT(0, 4, 256)), 2, 2, 1);
    }
}

/* A trace may say that a warp has more lanes than there are banks: words of 4 bytes are served for
 * all of them together, so that the bank with the most words decides. */
static void test_more_lanes_than_banks(void **unused)
{
    (void)unused;
    const struct trace_header header = {.banks = 4, .bank_bytes = 4, .warp = 8};
    const struct warp_access access = {.op = OP_LOAD,
                                       .bytes = 4,
                                       .lanes = 8,
                                       .lane = LANES(0, 1, 2, 3, 4, 5, 6, 7),
                                       .addr = BYTES_AT(0, 4, 8, 12, 16, 20, 24, 28)};
    struct bank_cost cost;
    bank_model_cost(&header, &access, &cost);
    expect(cost, 2, 2, 1);
}

/* Bytes 0 and 3 lie in one word: no conflict, not even to store them. Byte 128 is in the next word
 * of that bank. */
static void test_parts_of_a_word(void **unused)
{
    (void)unused;
    for (int op = OP_LOAD; op <= OP_STORE; op++) {
        expect(cost_of(32, 4, op, 1, 2, LANES(0, 1), BYTES_AT(0, 3)), 1, 1, 0);
        expect(cost_of(32, 4, op, 2, 3, LANES(0, 1, 2), BYTES_AT(0, 2, 128)), 2, 2, 1);
    }
}

/* 8 bytes: lanes 0-15 and 16-31 are served apart. Two lanes in one half that want words 0-1 and
 * 32-33 collide; in two halves they do not, but need a pass each. */
static void test_eight_bytes_go_by_halves(void **unused)
{
    (void)unused;
    expect(cost_of(32, 4, OP_STORE, 8, 2, LANES(0, 15), BYTES_AT(0, 128)), 2, 2, 1);
    expect(cost_of(32, 4, OP_STORE, 8, 2, LANES(0, 16), BYTES_AT(0, 128)), 1, 2, 0);
    expect(cost_of(32, 4, OP_STORE, 8, 2, LANES(0, 16), BYTES_AT(0, 0)), 1, 2, 0);
    expect(cost_of(32, 4, OP_STORE, 16, 2, LANES(7, 8), BYTES_AT(0, 0)), 1, 2, 0);
    expect(cost_of(32, 4, OP_STORE, 16, 2, LANES(0, 7), BYTES_AT(0, 0)), 1, 1, 0);
}

/* A load merges the halves when each lane i and its partner i^1, or each lane and its partner i^2,
 * agree: one of them idle, or both at the same address. */
static void test_loads_merge_where_partners_agree(void **unused)
{
    (void)unused;
    /* Lanes 0 and 16 have idle partners: one pass; and a conflict that the halves would not have.
     */
    expect(cost_of(32, 4, OP_LOAD, 8, 2, LANES(0, 16), BYTES_AT(0, 64)), 1, 1, 0);
    expect(cost_of(32, 4, OP_LOAD, 8, 2, LANES(0, 16), BYTES_AT(0, 128)), 2, 2, 1);
    /* 0 and 1 disagree, but 0^2 and 1^2 are idle. */
    expect(cost_of(32, 4, OP_LOAD, 8, 3, LANES(0, 1, 16), BYTES_AT(0, 8, 16)), 1, 1, 0);
    /* 0 and 1 disagree, and so do 17 and 19: no distance serves both halves. */
    expect(cost_of(32, 4, OP_LOAD, 8, 4, LANES(0, 1, 17, 19), BYTES_AT(0, 8, 16, 24)), 1, 2, 0);
    /* 0 and 1, 17 and 19, at one address each: distance 1 serves. */
    expect(cost_of(32, 4, OP_LOAD, 8, 4, LANES(0, 1, 17, 19), BYTES_AT(0, 0, 16, 24)), 1, 1, 0);
    /* 3 and 4 differ by 1 as numbers and are no partners: 3^1 = 2, 3^2 = 1, 4^1 = 5, 4^2 = 6. */
    expect(cost_of(32, 4, OP_LOAD, 8, 3, LANES(3, 4, 20), BYTES_AT(0, 8, 16)), 1, 1, 0);
    /* 16 bytes: quarters merge into halves, never into one; lanes 0 and 16 keep a pass each. */
    expect(cost_of(32, 4, OP_LOAD, 16, 2, LANES(0, 8), BYTES_AT(0, 16)), 1, 1, 0);
    expect(cost_of(32, 4, OP_LOAD, 16, 2, LANES(0, 16), BYTES_AT(0, 0)), 1, 2, 0);
    /* 8 and 16 are not in one half. */
    expect(cost_of(32, 4, OP_LOAD, 16, 2, LANES(8, 16), BYTES_AT(0, 0)), 1, 2, 0);
}

/* Elements in a row never conflict, whatever the sizes; nor do all lanes at one. */
static void test_no_conflicts_in_a_row_for_any_size(void **unused)
{
    uint8_t lane[MAX_WARP];
    uint32_t row[MAX_WARP], same[MAX_WARP] = {0};
    (void)unused;
    for (int w = 1; w <= MAX_WARP; w++)
        for (int bank_bytes = 1; bank_bytes <= 16; bank_bytes *= 2)
            for (int bytes = 1; bytes <= 16; bytes *= 2)
                for (int op = OP_LOAD; op <= OP_STORE; op++) {
                    for (int i = 0; i < w; i++) {
                        lane[i] = (uint8_t)i;
                        row[i] = (uint32_t)(i * bytes);
                    }
                    struct bank_cost cost = cost_of(w, bank_bytes, op, bytes, w, lane, row);
                    assert_int_equal(cost.conflicts, 0);
                    /* As many passes as the bytes fill rows of banks, or more where lanes do not
                     * divide evenly. */
                    assert_true(cost.passes * w * bank_bytes >= w * bytes);
                    assert_int_equal(cost_of(w, bank_bytes, op, bytes, w, lane, same).conflicts, 0);
                }
}

/* Six banks of 4 bytes: 8 bytes go by groups of three lanes, 16 bytes lane by lane. */
static void test_six_banks(void **unused)
{
    const uint8_t all[] = {0, 1, 2, 3, 4, 5};
    (void)unused;
    expect(cost_of(6, 4, OP_LOAD, 8, 6, all, BYTES_AT(0, 8, 16, 24, 32, 40)), 1, 2, 0);
    /* Every second element: words 0-1, 4-5, 8-9 = banks 0-1, 4-5, 2-3. */
    expect(cost_of(6, 4, OP_LOAD, 8, 6, all, BYTES_AT(0, 16, 32, 48, 64, 80)), 1, 2, 0);
    /* Every third: words 0-1, 6-7, 12-13 = banks 0-1 three times. */
    expect(cost_of(6, 4, OP_LOAD, 8, 6, all, BYTES_AT(0, 24, 48, 72, 96, 120)), 3, 6, 4);
    expect(cost_of(6, 4, OP_LOAD, 16, 6, all, BYTES_AT(0, 16, 32, 48, 64, 80)), 1, 6, 0);
}

/* Three banks: 8 bytes go lane by lane, so that only neighbours are served together. */
static void test_three_banks(void **unused)
{
    (void)unused;
    expect(cost_of(3, 4, OP_LOAD, 8, 2, LANES(0, 1), BYTES_AT(0, 8)), 1, 2, 0);
    expect(cost_of(3, 4, OP_LOAD, 8, 2, LANES(0, 1), BYTES_AT(8, 8)), 1, 1, 0);
    expect(cost_of(3, 4, OP_LOAD, 8, 2, LANES(0, 2), BYTES_AT(8, 8)), 1, 2, 0);
    expect(cost_of(3, 4, OP_LOAD, 8, 2, LANES(1, 2), BYTES_AT(0, 8)), 1, 2, 0);
}

/* Banks 8 bytes wide: 8 bytes per lane are one word, and neighbouring 4-byte elements share one. */
static void test_eight_byte_banks(void **unused)
{
    (void)unused;
    expect(cost_of(32, 8, OP_LOAD, 8, 2, LANES(0, 16), BYTES_AT(0, 256)), 2, 2, 1);
    expect(cost_of(32, 8, OP_LOAD, 4, 2, LANES(0, 1), BYTES_AT(0, 4)), 1, 1, 0);
    expect(cost_of(32, 8, OP_LOAD, 4, 2, LANES(0, 1), BYTES_AT(0, 128)), 1, 1, 0);
    expect(cost_of(32, 8, OP_STORE, 16, 2, LANES(0, 16), BYTES_AT(0, 256)), 1, 2, 0);
}

/* One lane may want more words than there are banks: that is no collision. */
static void test_one_bank(void **unused)
{
    (void)unused;
    expect(cost_of(1, 4, OP_LOAD, 16, 1, LANES(0), BYTES_AT(16)), 4, 4, 0);
    expect(cost_of(3, 4, OP_LOAD, 16, 1, LANES(2), BYTES_AT(16)), 2, 2, 0);
}

/* degree counts what each bank serves, over all groups. */
static void test_degree(void **unused)
{
    struct bank_cost cost;
    (void)unused;
    cost = cost_of(32, 4, OP_STORE, 8, 3, LANES(0, 1, 16), BYTES_AT(0, 128, 0));
    expect(cost, 2, 3, 1);
    assert_int_equal(cost.degree[0], 3);
    assert_int_equal(cost.degree[1], 3);
    /* Group 0 collides in banks 0 and 1, group 1, which comes last, does not. */
    for (int bank = 0; bank < MAX_WARP; bank++)
        assert_int_equal(cost.busy[bank], bank < 2);
    for (int bank = 2; bank < MAX_WARP; bank++)
        assert_int_equal(cost.degree[bank], 0);
}

/* Every pass serves a word, and no bank more than one in a pass; all is served in the passes that the
 * access costs. Random accesses of every width. */
static void test_turns_are_the_passes(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int n = 0; n < 3000; n++) {
        struct trace_header header = {.banks = 32, .bank_bytes = 4, .warp = 32};
        uint8_t lane[32];
        uint32_t addr[32];
        uint16_t turn[MAX_WARP * 16];
        struct warp_access access = {
            .op = n % 2 ? OP_LOAD : OP_STORE, .bytes = 1 << n % 5, .lane = lane, .addr = addr};
        for (int i = 0; i < 32; i++) {
            seed = seed * 1664525u + 1013904223u;
            if (seed >> 30 == 0)
                continue;
            lane[access.lanes] = (uint8_t)i;
            addr[access.lanes++] = (seed >> 8) % 300 * (uint32_t)access.bytes;
        }
        struct bank_cost cost;
        bank_model_cost(&header, &access, &cost);
        bank_model_turns(&header, &access, turn);
        int words = (access.bytes + 3) / 4;
        static uint32_t served[1024][32]; /* per pass and bank: its word + 1 */
        memset(served, 0, sizeof served);
        for (int i = 0; i < access.lanes; i++)
            for (int k = 0; k < words; k++) {
                uint32_t word = addr[i] / 4 + (uint32_t)k, pass = turn[i * words + k];
                assert_in_range(pass, 0, cost.passes - 1);
                uint32_t *at = &served[pass][word % 32];
                assert_true(*at == 0 || *at == word + 1);
                *at = word + 1;
            }
        for (int pass = 0; pass < cost.passes; pass++) {
            bool any = false;
            for (int bank = 0; bank < 32; bank++)
                any |= served[pass][bank] != 0;
            assert_true(any);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_the_counters),
        cmocka_unit_test(test_other_operations),
        cmocka_unit_test(test_swaps_of_16_bytes),
        cmocka_unit_test(test_no_lane_costs_nothing),
        cmocka_unit_test(test_four_bytes),
        cmocka_unit_test(test_more_lanes_than_banks),
        cmocka_unit_test(test_parts_of_a_word),
        cmocka_unit_test(test_eight_bytes_go_by_halves),
        cmocka_unit_test(test_loads_merge_where_partners_agree),
        cmocka_unit_test(test_no_conflicts_in_a_row_for_any_size),
        cmocka_unit_test(test_six_banks),
        cmocka_unit_test(test_three_banks),
        cmocka_unit_test(test_eight_byte_banks),
        cmocka_unit_test(test_one_bank),
        cmocka_unit_test(test_degree),
        cmocka_unit_test(test_turns_are_the_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
