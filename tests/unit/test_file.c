/* test_file.c - a file is read whole, or it is said why not. */
#include "system/file.h"
#include "tests/support/recording.h"

#include <unistd.h>

enum { MOST = 200000 };

/* Writes a file of so many bytes, among them null bytes, to a name that it fills in. */
static void write_file(char *name, size_t bytes)
{
    strcpy(name, "/tmp/test_file.XXXXXX");
    int file = mkstemp(name);
    FILE *to = fdopen(file, "wb");
    assert_non_null(to);
    for (size_t i = 0; i < bytes; i++)
        putc((int)(i % 251), to);
    assert_int_equal(fclose(to), 0);
}

static void a_file_of_any_size_is_read_whole(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 131072, MOST - 1, MOST};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char name[32];
        struct error error = {{0}};
        size_t length = 1;
        write_file(name, sizes[k]);
        char *bytes = file_read(name, MOST, &length, &error);
        unlink(name);
        if (!bytes)
            fail_msg("%s", error.text);
        assert_int_equal(length, sizes[k]);
        assert_int_equal(bytes[length], 0);
        for (size_t i = 0; i < length; i++)
            if ((unsigned char)bytes[i] != i % 251)
                fail_msg("byte %zu of %zu is %d", i, length, bytes[i]);
        free(bytes);
    }
}

static void a_larger_one_is_refused(void **state)
{
    (void)state;
    static const size_t sizes[] = {MOST + 1, 10 * MOST};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char name[32], said[80];
        struct error error = {{0}};
        size_t length;
        write_file(name, sizes[k]);
        assert_null(file_read(name, MOST, &length, &error));
        unlink(name);
        assert_true(length > MOST);
        snprintf(said, sizeof said, "%s is larger than 195 kB", name);
        assert_string_equal(error.text, said);
    }
}

static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    struct error none = {{0}}, folder = {{0}};
    size_t length = 1;
    assert_null(file_read("/nowhere/at/all", MOST, &length, &none));
    assert_int_equal(length, 0);
    assert_string_equal(none.text, "cannot read /nowhere/at/all: No such file or directory");
    assert_null(file_read("/tmp", MOST, &length, &folder));
    assert_int_equal(length, 0);
    assert_string_equal(folder.text, "cannot read /tmp: Is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_of_any_size_is_read_whole),
                                       cmocka_unit_test(a_larger_one_is_refused),
                                       cmocka_unit_test(what_cannot_be_read_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
