/* test_box.c - what a process may do in its box: nothing that harms. The kernel of tests/harm.cu tries,
 * one parameter for each harm, and its result is right if the harm was refused. */
#define _GNU_SOURCE /* mkdtemp */
#include "program/compile/dialect.h"
#include "teach/teach.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/bankscope-box-XXXXXX";
static char victim[64], object[64];
static const struct kernel *harm;

static int set_up(void **state)
{
    struct error error = {{0}};
    char here[2048], data[4096], alone[64];
    (void)state;
    if (!box_there(&error))
        return 0; /* every test is skipped */
    assert_non_null(mkdtemp(folder));
    snprintf(victim, sizeof victim, "%s/victim", folder);
    snprintf(object, sizeof object, "%s/harm.so", folder);
    FILE *file = fopen(victim, "w");
    assert_non_null(file);
    fputs("do not touch\n", file);
    fclose(file);
    assert_non_null(getcwd(here, sizeof here));
    setenv("BANKSCOPE_DATA", here, 1);
    snprintf(data, sizeof data, "%s/tests/harm.cu", here);
    harm = dialect_kernel(data, BACKEND_HOST, &error);
    assert_string_equal(error.text, "");
    /* What check makes of a hand-in. */
    snprintf(alone, sizeof alone, "%s/alone.cu", folder);
    file = fopen(alone, "w");
    assert_non_null(file);
    fprintf(file, "#define VICTIM \"%s\"\n#define KERNEL_ALONE\n#include \"%s\"\n", victim, data);
    fclose(file);
    assert_true(dialect_compile(alone, object, false, 0, &error));
    unlink(alone);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(victim);
    unlink(object);
    rmdir(folder);
    return 0;
}

static bool victim_is_well(void)
{
    char line[32] = "";
    struct stat status;
    FILE *file = fopen(victim, "r");
    bool good = file && fgets(line, sizeof line, file) && !strcmp(line, "do not touch\n") &&
                !fstat(fileno(file), &status) && (status.st_mode & 0777) != 0777;
    if (file)
        fclose(file);
    return good;
}

/* Runs the kernel with that harm. */
static bool try_harm(int number, struct error *error)
{
    struct apart apart = {.object = object,
                          .seconds = number == 1005 || number == 1004 || number == 1007 ? 2 : 0};
    const struct run_options options = {.run = run_apart, .context = &apart};
    struct recipe recipe;
    struct run_result result;
    char words[32];
    snprintf(words, sizeof words, "harm=%d", number);
    *error = (struct error){{0}};
    recipe_init(&recipe, harm);
    assert_true(recipe_read(&recipe, words, error));
    bool good = recipe_run(&recipe, &options, NULL, &result, error);
    assert_string_equal(apart.trouble.text, "");
    recipe_free(&recipe);
    return good;
}

/* The standard files and two others stay open, whatever their numbers and order. */
static void test_descriptors(void **state)
{
    static const int kept[][2] = {{3, 4}, {9, 5}, {7, 7}, {3, 40}};
    (void)state;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        pid_t child = fork();
        if (!child) {
            for (int file = 3; file <= 41; file++)
                dup2(0, file);
            box_descriptors(kept[i][0], kept[i][1]);
            int amiss = 0;
            for (int file = 0; file <= 41; file++) {
                bool open = file < 3 || file == kept[i][0] || file == kept[i][1];
                amiss += (fcntl(file, F_GETFD) != -1) != open;
            }
            _exit(amiss);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void test_harms_are_refused(void **state)
{
    struct error error;
    (void)state;
    if (!harm)
        skip();
    for (int number = 0;; number++) {
        bool refused = try_harm(number, &error);
        if (strstr(error.text, "no more harms")) {
            assert_true(number > 25);
            break;
        }
        if (!refused)
            print_error("harm %d: %s\n", number, error.text);
        assert_true(refused);
        assert_true(victim_is_well());
    }
}

/* What ends the process, or writes nonsense to the grader, is a run that fails. */
static void test_ends_and_lies_are_failures(void **state)
{
    static const struct {
        int number;
        const char *says;
    } cases[] = {{1000, "it ended its process (status 0)"}, /* _exit */
                 {1001, "it ended its process (status 3)"},
                 {1002, "it crashed"}, /* abort, past the handlers */
                 {1003, ""},           /* nonsense to all files that are open */
                 {1004, ""},           /* nonsense without end */
                 {1005, "it did not end within 2 seconds"},
                 {1006, "it asks for more than"},
                 {1007, "it did not end within"}};
    struct error error;
    (void)state;
    if (!harm)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(try_harm(cases[i].number, &error));
        assert_non_null(strstr(error.text, cases[i].says));
        assert_string_not_equal(error.text, "");
    }
}

/* A compiler in its box sees the system, and writes to one folder. */
static void test_a_confined_program(void **state)
{
    struct error error = {{0}};
    char home[64], command[512];
    (void)state;
    if (!harm)
        skip();
    snprintf(home, sizeof home, "%s/work", folder);
    assert_int_equal(mkdir(home, 0700), 0);
    snprintf(command, sizeof command,
             "cat /etc/passwd >/dev/null && echo 1 >%s/new && cat %s/new && rm %s/new", home, home,
             home);
    const char *words[] = {"sh", "-c", command, NULL};
    const struct program program = {
        .words = words, .temporary = home, .hint = "", .confined = true};
    assert_int_equal(process_run(&program, &error), 0);
    /* As far as this system's Landlock goes. */
    pid_t child = fork();
    if (!child)
        _exit(!box_files(NULL, NULL));
    int status;
    waitpid(child, &status, 0);
    if (!status) {
        snprintf(command, sizeof command, "! cat %s 2>/dev/null && ! echo 1 >%s/new && ! rm %s",
                 victim, folder, victim);
        assert_int_equal(process_run(&program, &error), 0);
        assert_true(victim_is_well());
    }
    rmdir(home);
}

/* Where the system has none, that is said. */
static void test_a_system_without_a_box(void **state)
{
    (void)state;
    if (!harm)
        skip();
    pid_t child = fork();
    if (!child) {
        struct sock_filter none[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const struct sock_fprog program = {sizeof none / sizeof *none, none};
        struct grader grader = {.seed = 1};
        struct error error = {{0}};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
            _exit(2);
        _exit(grader_begin(&grader, &error) || !strstr(error.text, "add --unconfined"));
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], APART_WORD))
        return apart_child();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_harms_are_refused),
        cmocka_unit_test(test_ends_and_lies_are_failures),
        cmocka_unit_test(test_a_confined_program),
        cmocka_unit_test(test_a_system_without_a_box),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
