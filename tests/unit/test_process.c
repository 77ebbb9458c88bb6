/* test_process.c - child processes: what they return, what they share, and when they end. */
#include "system/process.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cmocka.h>

static int run(const char *const *words, struct error *error)
{
    const struct program program = {.words = words, .hint = "install it"};
    memset(error, 0, sizeof *error);
    return process_run(&program, error);
}

static void test_status_of_a_program(void **state)
{
    (void)state;
    struct error error;
    assert_int_equal(run((const char *const[]){"true", NULL}, &error), 0);
    assert_int_equal(run((const char *const[]){"sh", "-c", "exit 127", NULL}, &error), 127);
    assert_int_equal(run((const char *const[]){"sh", "-c", "kill -9 $$", NULL}, &error), 128 + 9);
    assert_string_equal(error.text, "");
}

static void test_a_program_that_is_not_there(void **state)
{
    (void)state;
    struct error error;
    assert_int_equal(run((const char *const[]){"no-such-program", NULL}, &error), -1);
    assert_string_equal(error.text, "there is no no-such-program here; install it");
    assert_int_equal(run((const char *const[]){"/dev/null", NULL}, &error), -1);
    assert_string_equal(error.text, "cannot start /dev/null: Permission denied; install it");
}

/* What a program is given as standard input and output. */
static void test_files_of_a_program(void **state)
{
    (void)state;
    FILE *in = tmpfile(), *out = tmpfile();
    char line[32] = "";
    struct error error = {{0}};
    fputs("banks\n", in);
    rewind(in);
    const char *const words[] = {"tr", "a-z", "A-Z", NULL};
    const struct program program = {
        .words = words, .input = fileno(in), .output = fileno(out), .hint = ""};
    assert_int_equal(process_run(&program, &error), 0);
    rewind(out);
    assert_non_null(fgets(line, sizeof line, out));
    assert_string_equal(line, "BANKS\n");
    fclose(in);
    fclose(out);
}

static int write_sum(void *context, void *shared)
{
    const int *numbers = context;
    *(int *)shared += numbers[0] + numbers[1];
    return 7;
}

static void test_shared_memory_and_status(void **state)
{
    (void)state;
    struct process process;
    struct error error = {{0}};
    int numbers[] = {3, 4};
    assert_true(process_start(&process, sizeof(int), write_sum, numbers, &error));
    int status = process_wait(&process);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    assert_int_equal(*(int *)process.shared, 7); /* zero before */
    process_free(&process);
}

static int wait_for_ever(void *context, void *shared)
{
    (void)context;
    *(volatile pid_t *)shared = getpid();
    while (pause())
        continue;
    return 0;
}

static void test_a_child_can_be_killed(void **state)
{
    (void)state;
    struct process process;
    struct error error = {{0}};
    int status = 0;
    assert_true(process_start(&process, sizeof(pid_t), wait_for_ever, NULL, &error));
    assert_false(process_ended(&process, &status));
    process_kill(&process);
    status = process_wait(&process);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    process_free(&process);
}

#ifdef __linux__
/* Starts a child of its own, which must not outlive it. */
static int start_another(void *context, void *shared)
{
    struct process process;
    struct error error = {{0}};
    (void)context;
    if (!process_start(&process, sizeof(pid_t), wait_for_ever, NULL, &error))
        return 1;
    while (!*(volatile pid_t *)process.shared)
        usleep(1000);
    *(volatile pid_t *)shared = process.id;
    while (pause())
        continue;
    return 0;
}

static void test_no_child_outlives_its_parent(void **state)
{
    (void)state;
    struct process process;
    struct error error = {{0}};
    int status = 0;
    /* What loses its parent becomes a child of this process, which sees its end. */
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_true(process_start(&process, sizeof(pid_t), start_another, NULL, &error));
    while (!*(volatile pid_t *)process.shared)
        usleep(1000);
    pid_t grandchild = *(pid_t *)process.shared;
    assert_int_equal(kill(process.id, SIGKILL), 0);
    process_wait(&process);
    assert_int_equal(waitpid(grandchild, &status, 0), grandchild);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    process_free(&process);
}
#endif

static int say_no(void *context, struct error *error)
{
    (void)context;
    error_set(error, "no");
    return 3;
}

static int crash(void *context, struct error *error)
{
    (void)context, (void)error;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer's */
    raise(SIGSEGV);
    return 0;
}

static int leave(void *context, struct error *error)
{
    (void)context, (void)error;
    _exit(0);
}

static int count_to_five(void *context, struct error *error)
{
    (void)context, (void)error;
    return 5;
}

static void test_a_kernel_apart(void **state)
{
    (void)state;
    struct error error = {{0}};
    assert_int_equal(process_apart("k", count_to_five, NULL, &error), 5);
    assert_string_equal(error.text, "");
    assert_int_equal(process_apart("k", say_no, NULL, &error), -1);
    assert_string_equal(error.text, "no");
    error.text[0] = '\0';
    assert_int_equal(process_apart("k", crash, NULL, &error), -1);
    assert_non_null(strstr(error.text, "kernel k crashed"));
    error.text[0] = '\0';
    assert_int_equal(process_apart("k", leave, NULL, &error), -1);
    assert_non_null(strstr(error.text, "kernel k ended the program (status 0)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_of_a_program),
        cmocka_unit_test(test_a_program_that_is_not_there),
        cmocka_unit_test(test_files_of_a_program),
        cmocka_unit_test(test_shared_memory_and_status),
        cmocka_unit_test(test_a_child_can_be_killed),
#ifdef __linux__
        cmocka_unit_test(test_no_child_outlives_its_parent),
#endif
        cmocka_unit_test(test_a_kernel_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
