/* The reader of what a program wrote about itself (program/records.h): a good file is read as it is, and one with
 * any bytes in it gives a line. */
#include "program/records.h"
#include "machine/machine.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct made {
    struct records *records;
    struct records_head *head; /* as a child maps it */
    size_t bytes;
    uint64_t at[RECORDS_TABLES]; /* where the tables are, whatever the head says */
};

static void *row(struct made *made, enum records_tables table, uint64_t index)
{
    return (char *)made->head + made->at[table] + index * records_row_bytes(table);
}

static struct records_text put_text(struct made *made, const char *text)
{
    struct records_table *table = &made->head->table[RECORDS_TABLE_TEXT];
    struct records_text put = {table->used, strlen(text)};
    memcpy(row(made, RECORDS_TABLE_TEXT, table->used), text, put.length);
    table->used += put.length;
    return put;
}

#define ROW(type, which, index, ...)                                                               \
    do {                                                                                           \
        *(struct type *)row(made, which, index) = (struct type){.ready = 1, __VA_ARGS__};          \
        made->head->table[which].used = (index) + 1;                                               \
    } while (0)

static unsigned char *put_entry(unsigned char *at, struct records_entry entry, const void *data,
                                size_t bytes)
{
    entry.size = (uint16_t)((sizeof entry + bytes + 7) / 8);
    memcpy(at, &entry, sizeof entry);
    memcpy(at + sizeof entry, data, bytes);
    return at + 8 * entry.size;
}

/* A launch of kernel k with one access, whose block 5 was kept in two chunks; block 6 was not whole. */
static void put_all(struct made *made)
{
    struct records_text name = put_text(made, "_Z1kPi"), tile = put_text(made, "tile");
    ROW(records_site, RECORDS_TABLE_SITES, 0, .line = 10, .inlined_at = 1, .file = name,
        .function = tile);
    ROW(records_site, RECORDS_TABLE_SITES, 1, .line = 20, .inlined_at = RECORDS_NOTHING,
        .file = name);
    ROW(records_array, RECORDS_TABLE_ARRAYS, 0, .bytes = 256, .name = tile);
    ROW(records_access, RECORDS_TABLE_ACCESSES, 0, .op = OP_LOAD, .bytes = 4, .text = name,
        .array = tile);
    ROW(records_kernel, RECORDS_TABLE_KERNELS, 0, .accesses = 1, .arrays = 1, .target = 90,
        .name = name);
    ROW(records_launch, RECORDS_TABLE_LAUNCHES, 0, .launches = 1, .outcome = RECORDS_GOOD,
        .counts = 1, .first_count = 0, .blocks = 9, .blocks_done = 4);
    *(struct records_count *)row(made, RECORDS_TABLE_COUNTS, 0) = (struct records_count){
        .instructions = 1, .lanes = 2, .passes = 3, .conflicts = 4, .max_ways = 5};
    made->head->table[RECORDS_TABLE_COUNTS].used = 1;
    ROW(records_fault, RECORDS_TABLE_FAULTS, 0, MACHINE_FAULT_RACE, 0, 0, 1,
        .text = "two\033 stores");
    uint64_t address[] = {4, 8, 12};
    for (uint32_t i = 0; i < 3; i++) {
        struct records_chunk *chunk = row(made, RECORDS_TABLE_CHUNKS, i);
        chunk->head = (struct records_chunk_head){
            1, 0, i % 2, 0, i % 2 ? 0 : i == 2 ? 7 : 2, 2, i == 2 ? 6 : 5, 0, 0};
        unsigned char *at = chunk->entries;
        at = put_entry(at, (struct records_entry){.kind = RECORDS_STAGE, .lanes = 4}, "load", 4);
        at = put_entry(at, (struct records_entry){.kind = RECORDS_ROUND, .step = 3}, "", 0);
        at = put_entry(at, (struct records_entry){.kind = RECORDS_ACCESS, .mask = 0x80000011},
                       address, sizeof address);
        const unsigned char wrote[] = "\7\0\0\0\10\0\0\0%r1\0s32\0add %r1"; /* of two lanes */
        at = put_entry(at,
                       (struct records_entry){.kind = RECORDS_EXECUTED,
                                              .mask = 0x11,
                                              .values = 4,
                                              .step = 12,
                                              .access = RECORDS_NOTHING},
                       wrote, sizeof wrote);
        chunk->head.used = (uint32_t)(at - chunk->entries);
    }
    made->head->table[RECORDS_TABLE_CHUNKS].used = 3;
    made->head->launches = 1;
    made->head->current = 1;
}

static struct made make(void)
{
    struct error error = {""};
    struct made made;
    struct records_choice choice = {.jobs = 3, .launch = RECORDS_EVERY};
    made.records = records_new(&choice, "a\nb\n", 1 << 20, &error);
    assert_non_null(made.records);
    struct stat status;
    records_export(made.records);
    const int file = open(getenv(RECORDS_FILE), O_RDWR);
    assert_int_equal(fstat(file, &status), 0);
    made.bytes = (size_t)status.st_size;
    made.head = mmap(NULL, made.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    assert_true(made.head != MAP_FAILED);
    for (int i = 0; i < RECORDS_TABLES; i++)
        made.at[i] = made.head->table[i].at;
    put_all(&made);
    return made;
}

static void drop(struct made *made)
{
    munmap(made->head, made->bytes);
    records_free(made->records);
}

struct seen {
    int blocks, accesses, stages, rounds, executed;
};
static bool see_block(void *context, uint64_t block, struct error *error)
{
    (void)error;
    ((struct seen *)context)->blocks += block == 5;
    return true;
}
static bool see_access(void *context, const struct records_entry *entry, const uint64_t *address,
                       const unsigned char *value, struct error *error)
{
    (void)error, (void)value;
    ((struct seen *)context)->accesses += entry->mask == 0x80000011 && address[2] == 12;
    return true;
}
static bool see_stage(void *context, uint32_t warp, const char *name, size_t length,
                      struct error *error)
{
    (void)error, (void)warp;
    ((struct seen *)context)->stages += length == 4 && !memcmp(name, "load", 4);
    return true;
}
static bool see_round(void *context, uint32_t warp, uint64_t round, struct error *error)
{
    (void)error, (void)warp;
    ((struct seen *)context)->rounds += round == 3;
    return true;
}

static bool see_executed(void *context, const struct records_entry *entry,
                         const unsigned char *value, const char *const text[RECORDS_EXECUTED_TEXTS],
                         struct error *error)
{
    (void)error;
    ((struct seen *)context)->executed += entry->step == 12 && value[4] == 8 &&
                                          !strcmp(text[0], "%r1") && !strcmp(text[1], "s32") &&
                                          !strcmp(text[2], "add %r1");
    return true;
}

static bool visit(const struct made *made, const struct records_taken *taken, struct seen *seen,
                  struct error *error)
{
    const struct records_visitor visitor = {seen,      see_block, see_access,
                                            see_stage, see_round, see_executed};
    return records_visit(made->records, taken, 0, &visitor, error);
}

static void a_good_file_is_read_as_it_is(void **state)
{
    (void)state;
    struct made made = make();
    struct records_taken taken;
    struct records_progress progress;
    struct error error = {""};
    struct seen seen = {0, 0, 0, 0, 0};
    records_progress(made.records, &progress);
    assert_int_equal(progress.blocks, 9);
    assert_int_equal(progress.blocks_done, 4);
    assert_int_equal(made.head->choice.jobs, 3);
    assert_int_equal(made.head->choice.kernels_length, 4);
    assert_true(records_take(made.records, &taken, &error));
    assert_int_equal(taken.launches, 1);
    assert_int_equal(taken.count[0].conflicts, 4);
    assert_memory_equal(taken.text + taken.kernel[0].name.at, "_Z1kPi", 6);
    assert_string_equal(taken.fault[0].text, "two? stores");
    assert_int_equal(taken.running, 0);
    assert_true(visit(&made, &taken, &seen, &error));
    assert_int_equal(seen.blocks, 1);
    assert_int_equal(seen.accesses, 2);
    assert_int_equal(seen.stages, 2);
    assert_int_equal(seen.rounds, 2);
    assert_int_equal(seen.executed, 2);
    records_taken_free(&taken);
    drop(&made);
}

static void a_bad_row_is_named(void **state)
{
    (void)state;
    static const struct {
        enum records_tables table;
        size_t at;
        uint32_t value;
        const char *says;
    } cases[] = {
        {RECORDS_TABLE_SITES, 12, 0, "row 0 of sites"}, /* inlined at itself */
        {RECORDS_TABLE_SITES, 12, 7, "row 0 of sites"},
        {RECORDS_TABLE_SITES, 16, 1 << 30, "row 0 of sites"},
        {RECORDS_TABLE_ARRAYS, 8, 1 << 30, "row 0 of arrays"},
        {RECORDS_TABLE_ACCESSES, 8, OPS, "row 0 of accesses"},
        {RECORDS_TABLE_ACCESSES, 12, 3, "row 0 of accesses"},
        {RECORDS_TABLE_ACCESSES, 16, 2, "row 0 of accesses"},
        {RECORDS_TABLE_KERNELS, 4, 2, "row 0 of kernels"},
        {RECORDS_TABLE_KERNELS, 16, 1, "row 0 of kernels"},
        {RECORDS_TABLE_LAUNCHES, 4, 1, "row 0 of launches"},
        {RECORDS_TABLE_LAUNCHES, 0, 2, "row 0 of launches"},
        {RECORDS_TABLE_LAUNCHES, offsetof(struct records_launch, parent), 1, "row 0 of launches"},
        {RECORDS_TABLE_LAUNCHES, offsetof(struct records_launch, parent_site), 2,
         "row 0 of launches"},
        {RECORDS_TABLE_FAULTS, 4, 40, "row 0 of faults"},
        {RECORDS_TABLE_FAULTS, 16, 2, "row 0 of faults"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made made = make();
        struct records_taken taken;
        struct error error = {""};
        memcpy((char *)row(&made, cases[i].table, 0) + cases[i].at, &cases[i].value, 4);
        assert_false(records_take(made.records, &taken, &error));
        if (!strstr(error.text, cases[i].says))
            print_message("case %zu: %s\n", i, error.text);
        assert_non_null(strstr(error.text, cases[i].says));
        drop(&made);
    }
}

static void a_bad_instruction_is_damage(void **state)
{
    (void)state;
    static const struct {
        struct records_entry entry;
        const char *behind;
        size_t size;
    } cases[] = {
        {{.mask = 0, .values = 1}, "7\0\0\0", 4},
        {{.mask = 1, .values = 17}, "12345678123456781\0\0\0", 20},
        {{.mask = UINT64_MAX, .values = 16}, "7\0\0\0", 4},
        {{.mask = 1, .values = 1, .access = 7}, "7\0\0\0", 4},
        {{.mask = 1, .values = 1}, "7\0\0aaaaa", 8},
        {{.mask = 1, .values = 1}, "7a\033\0\0\0", 6},
        {{.mask = 1, .values = 1}, "7\0\0", 3}, /* the third is the padding: good */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made made = make();
        struct records_taken taken;
        struct error error = {""};
        struct seen seen = {0, 0, 0, 0, 0};
        struct records_chunk *chunk = row(&made, RECORDS_TABLE_CHUNKS, 0);
        struct records_entry entry = cases[i].entry;
        entry.kind = RECORDS_EXECUTED;
        chunk->head.used =
            (uint32_t)(put_entry(chunk->entries, entry, cases[i].behind, cases[i].size) -
                       chunk->entries);
        const bool good = i + 1 == sizeof cases / sizeof *cases;
        assert_true(records_take(made.records, &taken, &error));
        if (visit(&made, &taken, &seen, &error) != good)
            fail_msg("case %zu", i);
        assert_true(good || strstr(error.text, "damaged"));
        records_taken_free(&taken);
        drop(&made);
    }
}

static void a_row_that_was_not_finished_is_left_out(void **state)
{
    (void)state;
    struct made made = make();
    struct records_taken taken;
    struct error error = {""};
    struct records_launch *second = row(&made, RECORDS_TABLE_LAUNCHES, 1);
    second->kernel = 77;
    made.head->table[RECORDS_TABLE_LAUNCHES].used = 2;
    assert_true(records_take(made.records, &taken, &error));
    assert_int_equal(taken.launches, 2);
    assert_int_equal(taken.launch[1].ready, 0);
    assert_int_equal(taken.launch[1].kernel, 0);
    records_taken_free(&taken);
    drop(&made);
}

/* Bytes of the head, of the first rows and chunks are set to anything. */
static void any_bytes_give_a_line(void **state)
{
    (void)state;
    const char *more = getenv("TEST_ROUNDS");
    int rounds = 300 * (more ? atoi(more) : 1);
    unsigned seed = 1;
    int refused = 0;
    for (int i = 0; i < rounds; i++) {
        struct made made = make();
        struct records_taken taken;
        struct records_progress progress;
        struct error error = {""};
        for (int k = 0; k < 1 + i % 8; k++) {
            int table = rand_r(&seed) % (RECORDS_TABLES + 1);
            char *at = table == RECORDS_TABLES ? (char *)made.head : row(&made, table, 0);
            size_t room = table == RECORDS_TABLES         ? sizeof *made.head
                          : table == RECORDS_TABLE_CHUNKS ? 3 * RECORDS_CHUNK
                                                          : 2 * records_row_bytes(table);
            size_t place = (size_t)rand_r(&seed) % (room < 300 ? room : 300);
            at[place] = (char)(rand_r(&seed) % 3 ? rand_r(&seed) : -1);
        }
        records_progress(made.records, &progress);
        if (records_take(made.records, &taken, &error)) {
            struct seen seen = {0, 0, 0, 0, 0};
            visit(&made, &taken, &seen, &error);
            records_taken_free(&taken);
        }
        refused += error.text[0] != '\0';
        drop(&made);
    }
    assert_true(refused > rounds / 10);
}

static void too_many_names_are_refused(void **state)
{
    (void)state;
    struct records_choice choice = {.launch = RECORDS_EVERY};
    struct error error = {""};
    char *names = malloc(40 << 20);
    memset(names, 'a', 40 << 20);
    names[(40 << 20) - 1] = '\0';
    assert_null(records_new(&choice, names, 1 << 20, &error));
    assert_non_null(strstr(error.text, "too many kernels are named"));
    struct made made = make();
    assert_false(records_tell_code(made.records, names));
    drop(&made);
    free(names);
}

static void loops_are_told_behind_the_kernels(void **state)
{
    static const char loops[] = "12 _Z1kv\n13 _Z1lv\n";
    struct made made = make();
    (void)state;
    const struct records_choice *choice = &made.head->choice;
    const char *text = (const char *)made.head + made.head->table[RECORDS_TABLE_TEXT].at;
    assert_true(records_tell_code(made.records, loops));
    assert_int_equal(choice->loops_length, strlen(loops));
    assert_memory_equal(text + choice->loops, loops, strlen(loops));
    assert_memory_equal(text + choice->kernels, "a\nb\n", 4);
    assert_int_equal(made.head->table[RECORDS_TABLE_TEXT].used,
                     choice->loops + choice->loops_length);
    drop(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_file_is_read_as_it_is),
        cmocka_unit_test(a_bad_row_is_named),
        cmocka_unit_test(a_bad_instruction_is_damage),
        cmocka_unit_test(a_row_that_was_not_finished_is_left_out),
        cmocka_unit_test(any_bytes_give_a_line),
        cmocka_unit_test(too_many_names_are_refused),
        cmocka_unit_test(loops_are_told_behind_the_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
