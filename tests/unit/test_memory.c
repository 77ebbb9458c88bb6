/* test_memory.c - what grows keeps its contents; what is refused is left as it was; what a program
 * cannot do without ends it with one line. */
#include "system/out_of_memory.h"
#include "tests/support/recording.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void growing_keeps_what_was_there(void **state)
{
    (void)state;
    struct error error = {{0}};
    int *number = NULL;
    size_t room = 0, grown = 0;
    for (int i = 0; i < 100000; i++) {
        size_t before = room;
        assert_true(memory_grow(&number, &room, (size_t)i + 1, sizeof *number, "numbers", &error));
        assert_true(room > (size_t)i);
        grown += room != before;
        number[i] = i;
    }
    for (int i = 0; i < 100000; i++)
        assert_int_equal(number[i], i);
    assert_in_range(grown, 1, 40);
    free(number);
}

static void too_much_is_refused(void **state)
{
    (void)state;
    struct error error = {{0}};
    int *number = memory_new(1, sizeof *number), *before = number;
    size_t room = 1;
    assert_false(memory_grow(&number, &room, SIZE_MAX / 2, sizeof *number, "numbers", &error));
    assert_ptr_equal(number, before);
    assert_int_equal(room, 1);
    assert_non_null(strstr(error.text, "out of memory for 9223372036854775807 numbers"));
    error.text[0] = '\0';
    assert_null(memory_array(SIZE_MAX / 4, 8, "cells", &error));
    assert_non_null(strstr(error.text, "out of memory for"));
    free(number);
}

static void copies_end_where_they_should(void **state)
{
    (void)state;
    char *all = memory_copy("gather"), *none = memory_copy(NULL),
         *part = memory_copy_of("gather", 3);
    assert_string_equal(all, "gather");
    assert_string_equal(none, "");
    assert_string_equal(part, "gat");
    free(all);
    free(none);
    free(part);
}

static void *exhaust(void *unused)
{
    (void)unused;
    memory_exhausted();
}

/* In a child, whose standard error is a pipe: several threads have no memory at the same time. One line is said. */
static void check_end(int threads)
{
    int out[2];
    char text[256] = {0};
    assert_int_equal(pipe(out), 0);
    pid_t child = fork();
    if (!child) {
        pthread_t thread;
        dup2(out[1], STDERR_FILENO);
        out_of_memory_begin();
        for (int i = 1; i < threads; i++)
            pthread_create(&thread, NULL, exhaust, NULL);
        memory_exhausted();
    }
    close(out[1]);
    ssize_t used = 0, got; /* what is said may come in pieces */
    while ((got = read(out[0], text + used, sizeof text - 1 - (size_t)used)) > 0)
        used += got;
    close(out[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_non_null(strstr(text, "out of memory"));
}

static void the_indispensable_ends_the_program(void **state)
{
    (void)state;
    check_end(1);
    for (int i = 0; i < 200; i++)
        check_end(4);
}

/* Also when what others wrote there is used again, of few sizes or of many. */
static void global_memory_begins_as_zeros(void **state)
{
    enum { PIECES = 40 };
    char *piece[PIECES];
    struct error error = {{0}};
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        for (size_t i = 0; i < PIECES; i++) {
            size_t bytes = turn % 2 ? 1 + i * 3000 : 5000;
            piece[i] = global_new(bytes, &error);
            assert_non_null(piece[i]);
            for (size_t k = 0; k < bytes; k++)
                assert_int_equal(piece[i][k], 0);
            memset(piece[i], 1 + (int)i, bytes);
        }
        for (size_t i = 0; i < PIECES; i++) {
            size_t bytes = turn % 2 ? 1 + i * 3000 : 5000;
            for (size_t k = 0; k < bytes; k++)
                assert_int_equal(piece[i][k], 1 + i);
            global_free(piece[i], bytes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(growing_keeps_what_was_there),
                                       cmocka_unit_test(too_much_is_refused),
                                       cmocka_unit_test(copies_end_where_they_should),
                                       cmocka_unit_test(global_memory_begins_as_zeros),
                                       cmocka_unit_test(the_indispensable_ends_the_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
