/* The runtime API and what it tells: programs of runtime_program.c run, with and without a file for records. */
#include "program/records.h"
#include "machine/machine.h"
#include "system/output.h"

#include <libgen.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char program[4096];
static const char *kernels; /* that are counted; NULL: all */

/* What came of one run. */
struct ran {
    char out[4096], err[4096];
    int status;
    struct records *records;
    struct records_taken taken;
};

static void read_all(FILE *file, char *text, size_t room)
{
    rewind(file);
    size_t length = fread(text, 1, room - 1, file);
    text[length] = '\0';
    fclose(file);
}

static void run(struct ran *ran, const char *word, const struct records_choice *choice)
{
    struct error error = {""};
    FILE *out = tmpfile(), *err = tmpfile();
    *ran = (struct ran){.records = NULL};
    if (access(program, X_OK))
        skip(); /* the runtime is not built */
    if (choice)
        ran->records = records_new(choice, kernels, 1 << 24, &error);
    assert_string_equal(error.text, "");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(out), 1);
        dup2(fileno(err), 2);
        if (choice)
            records_export(ran->records);
        execl(program, program, word, (char *)NULL);
        _exit(127);
    }
    waitpid(child, &ran->status, 0);
    read_all(out, ran->out, sizeof ran->out);
    read_all(err, ran->err, sizeof ran->err);
    if (choice)
        assert_true(records_take(ran->records, &ran->taken, &error));
}

static void end(struct ran *ran)
{
    if (ran->records)
        records_taken_free(&ran->taken);
    records_free(ran->records);
}

static struct records_choice everything(void)
{
    return (struct records_choice){.jobs = 2,
                                   .count = 1,
                                   .check = 1,
                                   .accesses = 100,
                                   .launch = RECORDS_EVERY,
                                   .last_block = RECORDS_EVERY};
}

static void runs_good(struct ran *ran, const char *word)
{
    struct records_choice choice = everything();
    run(ran, word, &choice);
    if (strcmp(ran->out, "good\n"))
        print_message("%s: %s%s", word, ran->out, ran->err);
    assert_string_equal(ran->out, "good\n");
    assert_string_equal(ran->err, "");
    assert_int_equal(ran->status, 0);
    assert_true(ran->taken.attached);
}

static const char *text_of(const struct ran *ran, struct records_text text)
{
    static char copy[4][256];
    static int which;
    which = (which + 1) % 4;
    snprintf(copy[which], sizeof copy[which], "%.*s", (int)text.length, ran->taken.text + text.at);
    return copy[which];
}

static void a_launch_is_told_with_its_counts(void **state)
{
    (void)state;
    struct ran ran;
    runs_good(&ran, "scales");
    const struct records_taken *t = &ran.taken;
    assert_int_equal(t->launches, 1);
    assert_int_equal(t->kernels, 1);
    assert_int_equal(t->faults, 0);
    const struct records_launch *launch = t->launch;
    const struct records_kernel *kernel = t->kernel;
    assert_string_equal(text_of(&ran, kernel->name), "scale");
    assert_int_equal(kernel->target, 86);
    assert_int_equal(kernel->arrays, 2);
    assert_string_equal(text_of(&ran, t->array[kernel->first_array].name), "tile");
    assert_int_equal(t->array[kernel->first_array].global, 0);
    assert_int_equal(t->array[kernel->first_array + 1].global, 1);
    assert_int_equal(launch->grid[0], 4);
    assert_int_equal(launch->block[0], 32);
    assert_int_equal(launch->outcome, RECORDS_GOOD);
    assert_int_equal(launch->blocks_done, 4);
    assert_int_equal(launch->launches, 1);
    assert_true(launch->caller != 0);
    assert_int_equal(t->running, RECORDS_NOTHING);
    assert_int_equal(launch->counts, 3);
    const struct records_count *count = t->count + launch->first_count;
    assert_int_equal(count[0].instructions, 4);
    assert_int_equal(count[1].lanes, 128);
    assert_int_equal(count[1].passes, 8);
    assert_int_equal(count[1].max_ways, 2);
    assert_int_equal(count[2].instructions, 0);
    const struct records_access *access = t->access + kernel->first_access;
    assert_int_equal(access[0].op, OP_STORE);
    assert_string_equal(text_of(&ran, access[0].text), "st.shared.u32 [tile], %r1;");
    const struct records_site *site = &t->site[access[1].site];
    assert_int_equal(site->line, 11);
    assert_string_equal(text_of(&ran, site->function), "helper");
    assert_int_equal(t->site[site->inlined_at].line, 12);
    end(&ran);
}

static void nothing_is_lost_when_the_program_is_killed(void **state)
{
    (void)state;
    struct ran ran;
    struct records_choice choice = everything();
    run(&ran, "is-killed", &choice);
    assert_true(WIFSIGNALED(ran.status) && WTERMSIG(ran.status) == SIGKILL);
    assert_int_equal(ran.taken.launches, 2);
    assert_int_equal(ran.taken.launch[0].outcome, RECORDS_GOOD);
    assert_int_equal(ran.taken.count[ran.taken.launch[0].first_count].instructions, 4);
    assert_int_equal(ran.taken.launch[1].outcome, RECORDS_RUNNING);
    assert_int_equal(ran.taken.running, 1);
    end(&ran);
}

static void many_launches_share_rows(void **state)
{
    (void)state;
    struct ran ran;
    runs_good(&ran, "launches-often");
    const struct records_taken *t = &ran.taken;
    uint64_t launches = 0, instructions = 0;
    assert_int_equal(t->launches, RECORDS_LAUNCHES + 2);
    for (uint64_t i = 0; i < t->launches; i++) {
        launches += t->launch[i].launches;
        instructions += t->count[t->launch[i].first_count].instructions;
    }
    assert_int_equal(launches, 5000);
    assert_int_equal(instructions, 2500 * 20 + 2500 * 40);
    assert_int_equal(t->launch[RECORDS_LAUNCHES].launches, 452);
    assert_int_equal(t->launch[RECORDS_LAUNCHES].grid[0], 2);
    end(&ran);
}

struct seen {
    uint64_t blocks, accesses, last_block;
};
static bool see_block(void *context, uint64_t block, struct error *error)
{
    struct seen *seen = context;
    (void)error;
    assert_true(!seen->blocks || block > seen->last_block);
    seen->last_block = block;
    seen->blocks++;
    return true;
}
static bool see_access(void *context, const struct records_entry *entry, const uint64_t *address,
                       const unsigned char *value, struct error *error)
{
    struct seen *seen = context;
    uint32_t third;
    (void)error;
    assert_int_equal(entry->access, seen->accesses % 2);
    assert_int_equal(entry->mask, 0xffffffff);
    assert_int_equal(address[3], 12);
    memcpy(&third, value + 12, 4);
    assert_int_equal(third, seen->last_block * 1000 + 3);
    seen->accesses++;
    return true;
}

static void the_first_whole_blocks_are_kept(void **state)
{
    (void)state;
    static const struct {
        uint64_t accesses, first, blocks, kept;
    } cases[] = {
        {100, 0, 2, 80}, {39, 0, 1, 39}, {1000, 0, 9, 360}, {100, 3, 2, 80}, {80, 0, 2, 80}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t jobs = 1; jobs <= 4; jobs += 3) {
            struct ran ran;
            struct seen seen = {0, 0, 0};
            struct error error = {""};
            struct records_choice choice = everything();
            choice.jobs = jobs;
            choice.values = 1;
            choice.accesses = cases[i].accesses;
            choice.first_block = cases[i].first;
            run(&ran, "keeps", &choice);
            const struct records_visitor visitor = {
                .context = &seen, .block = see_block, .access = see_access};
            assert_true(records_visit(ran.records, &ran.taken, 0, &visitor, &error));
            assert_int_equal(seen.blocks, cases[i].blocks);
            assert_int_equal(seen.accesses, cases[i].kept);
            assert_int_equal(ran.taken.launch[0].kept_blocks, cases[i].blocks);
            assert_int_equal(ran.taken.launch[0].kept_accesses, cases[i].kept);
            assert_int_equal(seen.last_block, cases[i].first + cases[i].blocks - 1);
            end(&ran);
        }
}

/* The fault of a kind, of which there is one row. */
static const struct records_fault *fault_of(const struct ran *ran, uint32_t kind)
{
    const struct records_fault *found = NULL;
    for (uint64_t i = 0; i < ran->taken.faults; i++)
        if (ran->taken.fault[i].ready && ran->taken.fault[i].kind == kind) {
            assert_null(found);
            found = &ran->taken.fault[i];
        }
    assert_non_null(found);
    return found;
}

static void a_fault_is_told_once_and_its_error_sticks(void **state)
{
    (void)state;
    struct ran ran;
    runs_good(&ran, "sticks");
    const struct records_fault *race = fault_of(&ran, MACHINE_FAULT_RACE);
    assert_true(race->count > 1);
    assert_string_equal(race->text, "a race of two");
    assert_int_equal(ran.taken.site[race->site].line, 11);
    const struct records_fault *address = fault_of(&ran, MACHINE_FAULT_ADDRESS);
    assert_int_equal(address->block[0], 2);
    assert_int_equal(address->launch, 0);
    assert_int_equal(ran.taken.launch[0].outcome, RECORDS_FAILED);
    assert_int_equal(ran.taken.launch[0].error, 700);
    end(&ran);
}

static void arguments_of_calls_are_checked(void **state)
{
    (void)state;
    struct ran ran;
    runs_good(&ran, "passes-nonsense");
    static const char *const parts[] = {
        "writes 33 bytes from byte 0 of an allocation of 32 bytes",
        "cudaMemset writes 4 bytes from byte 30", "reads 4 bytes of device memory that was freed",
        "which was freed before", "which is not where an allocation begins"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool found = false;
        for (uint64_t k = 0; k < ran.taken.faults; k++)
            found |= ran.taken.fault[k].kind == RECORDS_ARGUMENT &&
                     strstr(ran.taken.fault[k].text, parts[i]) && ran.taken.fault[k].caller;
        if (!found)
            print_message("not told: %s\n", parts[i]);
        assert_true(found);
    }
    end(&ran);
    runs_good(&ran, "has-no-such-variable");
    assert_non_null(strstr(fault_of(&ran, RECORDS_ARGUMENT)->text, "no variable of the device"));
    end(&ran);
}

static void copies_go_where_a_gpu_copies(void **state)
{
    (void)state;
    struct ran ran;
    runs_good(&ran, "copies-in-all-directions");
    end(&ran);
}

static void an_error_that_nobody_asks_for_is_told(void **state)
{
    (void)state;
    struct ran ran;
    runs_good(&ran, "asks-for-no-error");
    const struct records_fault *fault = fault_of(&ran, RECORDS_UNCHECKED);
    assert_non_null(strstr(fault->text, "invalid configuration argument"));
    assert_true(fault->caller != 0);
    end(&ran);
    runs_good(&ran, "asks-for-errors");
    for (uint64_t i = 0; i < ran.taken.faults; i++)
        assert_int_equal(ran.taken.fault[i].ready, 0);
    end(&ran);
}

static void a_process_that_forks_is_understood(void **state)
{
    (void)state;
    struct ran ran;
    runs_good(&ran, "forks");
    assert_int_equal(ran.taken.launches, 2);
    end(&ran);
    runs_good(&ran, "forks-before");
    assert_int_equal(ran.taken.launches, 2);
    assert_int_equal(ran.taken.launch[0].outcome, RECORDS_GOOD);
    end(&ran);
}

static void programs_run_as_ever(void **state)
{
    (void)state;
    static const char *const words[] = {"closes-everything", "handles-signals",   "uses-graphs",
                                        "uses-variables",    "has-several-units", "has-threads"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct ran ran;
        runs_good(&ran, words[i]);
        assert_true(ran.taken.launches > 0);
        end(&ran);
        run(&ran, words[i], NULL);
        assert_string_equal(ran.out, "good\n");
        assert_string_equal(ran.err, "");
    }
}

static void an_endless_launch_is_ended(void **state)
{
    (void)state;
    struct ran ran;
    struct records_choice choice = everything();
    choice.seconds = 1;
    run(&ran, "never-ends", &choice);
    assert_string_equal(ran.out, "good\n");
    assert_non_null(strstr(fault_of(&ran, RECORDS_ENDLESS)->text, "1 seconds"));
    end(&ran);
}

static void output_keeps_its_order(void **state)
{
    (void)state;
    struct ran ran;
    run(&ran, "prints", NULL);
    assert_string_equal(ran.out, "host 1\nkernel\nhost 2\nkernel\n");
}

static void the_device_is_the_one_that_was_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *device, *says;
    } cases[] = {
        {"",
         "NVIDIA H200: 8.6, 132 multiprocessors, 2 blocks of 1024, 232448 bytes, ptx 86\ngood\n"},
        {"rtx 4090", "NVIDIA GeForce RTX 4090: 8.6, 128 multiprocessors, 1 blocks of 1024, 101376 "
                     "bytes, ptx 86\ngood\n"},
        {"A100", "NVIDIA A100-SXM4-80GB: 8.6, 108 multiprocessors, 2 blocks of 1024, 166912 bytes, "
                 "ptx 86\ngood\n"},
        {"t4", "Tesla T4: 8.6, 40 multiprocessors, 1 blocks of 1024, 65536 bytes, ptx 86\ngood\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ran ran;
        struct records_choice choice = everything();
        snprintf(choice.device, sizeof choice.device, "%s", cases[i].device);
        run(&ran, "asks-for-the-device", &choice);
        assert_string_equal(ran.out, cases[i].says);
        end(&ran);
    }
}

static void code_that_cannot_run_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *word, *part;
    } cases[] = {{"is-strange", "the kernel strange cannot be run: line 3: 'strange.u32'"},
                 {"is-damaged", "cannot be run: unit 1: line 2: 'damaged' is no instruction"},
                 {"has-machine-code", "machine code of a GPU and no PTX"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ran ran;
        runs_good(&ran, cases[i].word);
        assert_non_null(strstr(fault_of(&ran, RECORDS_CODE)->text, cases[i].part));
        end(&ran);
        run(&ran, cases[i].word, NULL);
        assert_non_null(strstr(ran.err, cases[i].part));
    }
}

static void the_host_may_not_read_device_memory(void **state)
{
    (void)state;
    struct ran ran;
    struct records_choice choice = everything();
    run(&ran, "reads-device-memory", &choice);
    assert_true(WIFSIGNALED(ran.status) && WTERMSIG(ran.status) == SIGSEGV);
    const struct records_fault *fault = fault_of(&ran, RECORDS_ARGUMENT);
    assert_non_null(strstr(fault->text, "byte 12 of an allocation of 100 bytes"));
    assert_true(fault->caller != 0);
    end(&ran);
}

static void what_is_counted_is_chosen(void **state)
{
    (void)state;
    static const struct {
        const char *kernels;
        uint64_t launch, rows;
    } cases[] = {{"forty\n", RECORDS_EVERY, 0},
                 {"fort\nscale\n", RECORDS_EVERY, 2},
                 {NULL, 1, 1},
                 {"scale\n", 1, 1},
                 {"scal\nscaler\n", RECORDS_EVERY, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ran ran;
        struct records_choice choice = everything();
        choice.launch = cases[i].launch;
        kernels = cases[i].kernels;
        run(&ran, "forks", &choice);
        kernels = NULL;
        assert_int_equal(ran.taken.launches, cases[i].rows);
        assert_int_equal(ran.taken.launched, 2);
        if (cases[i].launch == 1)
            assert_int_equal(ran.taken.launch[0].number, 1);
        end(&ran);
    }
}

static void leaks_are_told_when_asked_for(void **state)
{
    (void)state;
    struct ran ran;
    struct records_choice choice = everything();
    run(&ran, "leaks", &choice);
    assert_int_equal(ran.taken.faults, 0);
    end(&ran);
    choice.leaks = 1;
    run(&ran, "leaks", &choice);
    assert_non_null(strstr(fault_of(&ran, RECORDS_LEAK)->text, "100 bytes in 1 allocation"));
    end(&ran);
}

int main(int count, char **words)
{
    (void)count;
    snprintf(program, sizeof program, "%s/runtime_program", dirname(words[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_is_told_with_its_counts),
        cmocka_unit_test(nothing_is_lost_when_the_program_is_killed),
        cmocka_unit_test(many_launches_share_rows),
        cmocka_unit_test(the_first_whole_blocks_are_kept),
        cmocka_unit_test(a_fault_is_told_once_and_its_error_sticks),
        cmocka_unit_test(copies_go_where_a_gpu_copies),
        cmocka_unit_test(arguments_of_calls_are_checked),
        cmocka_unit_test(an_error_that_nobody_asks_for_is_told),
        cmocka_unit_test(a_process_that_forks_is_understood),
        cmocka_unit_test(programs_run_as_ever),
        cmocka_unit_test(an_endless_launch_is_ended),
        cmocka_unit_test(output_keeps_its_order),
        cmocka_unit_test(the_device_is_the_one_that_was_asked_for),
        cmocka_unit_test(code_that_cannot_run_is_told),
        cmocka_unit_test(leaks_are_told_when_asked_for),
        cmocka_unit_test(the_host_may_not_read_device_memory),
        cmocka_unit_test(what_is_counted_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
