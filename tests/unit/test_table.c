/* table: the object of `run --json` from a run with many launches. */
#define _GNU_SOURCE
#include "program/report/table_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
/* After these, as it says itself. */
#include <cmocka.h>

enum { LAUNCHES = 20000 };

static long most_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void gather(struct program_sink sink, struct error *error)
{
    for (uint64_t i = 0; i < LAUNCHES; i++) {
        const struct program_launch launch = {.number = i,
                                              .launches = 1,
                                              .grid = {1, 1, 1},
                                              .block = {32, 1, 1},
                                              .warp = 32,
                                              .banks = 32,
                                              .name = "k"};
        const struct program_end end = {.blocks = 1, .recorded_blocks = 1};
        assert_true(sink.launch(sink.context, &launch, error));
        for (uint64_t pc = 16; pc <= 32; pc += 16) {
            const struct program_count count = {
                pc, SPACE_SHARED, OP_LOAD, ARRAY_UNKNOWN, {1, 32, 2, 1, 2, 0, 0}};
            assert_true(sink.count(sink.context, &count, error));
        }
        assert_true(sink.launch_end(sink.context, &end, error));
    }
}

/* Sanitizers add memory to each allocation, and keep what is freed. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

/* Of 20,000 launches a tree took 108 MB. */
static void json_of_many_launches_needs_little_memory(void **state)
{
    char folder[] = "/tmp/test_table_XXXXXX";
    struct error error = {{0}};
    struct program_table table;
    (void)state;
    if (SANITIZED)
        skip();
    assert_non_null(mkdtemp(folder));
    struct source_lines *lines = lines_open_gpu(folder);
    table_init(&table, lines);
    const long empty = most_kilobytes();
    gather(table_sink(&table), &error);
    const long gathered = most_kilobytes();
    assert_in_range(gathered - empty, 0, 15000);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(table_print_json(file, &table, TABLE_BY_LINE, &error));
    assert_in_range(most_kilobytes() - gathered, 0, 5000);
    const size_t bytes = (size_t)ftell(file);
    char *text = malloc(bytes + 1);
    rewind(file);
    assert_int_equal(fread(text, 1, bytes, file), bytes);
    text[bytes] = '\0';
    cJSON *object = cJSON_Parse(text);
    const cJSON *launches = cJSON_GetObjectItem(object, "launches");
    const cJSON *last = cJSON_GetArrayItem(launches, LAUNCHES - 1);
    assert_int_equal(cJSON_GetArraySize(launches), LAUNCHES);
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(last, "launch")), LAUNCHES - 1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(object, "faults")), 0);
    assert_non_null(cJSON_GetObjectItem(object, "flags"));
    cJSON_Delete(object);
    free(text);
    fclose(file);
    table_free(&table);
    lines_free(lines);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_of_many_launches_needs_little_memory),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
