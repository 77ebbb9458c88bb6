/* test_kernelc_fuzz.c - 1,000 kernels with mistakes in them, from source to marks. Each is compiled or refused by
 * errors of one line with a place; what is compiled, the machine takes and runs or stops with a fault, and ptxas,
 * where it is, accepts (but for asm, whose text is passed on). As hand-ins they get marks, or words why not. None crashes, hangs, or takes more than it may.
 *
 *     test_kernelc_fuzz [COUNT [SEED]]       more of them, or others
 */
#define _GNU_SOURCE
#include "grade/grade.h"
#include "kernelc/kernelc.h"
#include "system/file.h"
#include "tests/fuzz/hostile_ptx.h"
#include "tests/fuzz/mistakes.h"
#include "tests/support/exercise_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    SLOWEST = 60 /* seconds */,
    LARGEST = 12000 /* bytes of a file */,
    EXERCISES = 16,
    BY_PTXAS = 40
};
static unsigned long count = 1000, seed = 1;

static const char *const numbers[] = {
    "0",    "1",          "-1",   "31",    "32",  "255",        "2147483647",  "16",
    "4096", "0x80000000", "1.5f", "1e400", "'a'", "1ull << 40", "sizeof(int)", NULL};
static char *program_h; /* which the programs include */
static struct files sources = {.between = " \t\n,;.()[]{}<>+-*/%&|^=!?:", .numbers = numbers};

static void must(bool truth, const char *what, const char *source)
{
    if (!truth)
        fail_msg("%s\n%s", what, source);
}

/* ---- as a program -------------------------------------------------------------------------------- */

/* Says what ptxas objects to, if it is here. */
static void ask_ptxas(const struct kernelc_result *result, const char *source)
{
    static int there = -1;
    const char *folder = getenv("WORK") ? getenv("WORK") : "/tmp";
    char path[4100], command[8400];
    if (there < 0)
        there = !system("PATH=$PATH:/usr/local/cuda/bin ptxas --version >/dev/null 2>&1");
    if (!there)
        return;
    snprintf(path, sizeof path, "%s/mistaken.ptx", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(result->ptx, 1, result->length, file), result->length);
    fclose(file);
    snprintf(command, sizeof command,
             "PATH=$PATH:/usr/local/cuda/bin ptxas -c -arch=sm_90 -o /dev/null '%s' >&2", path);
    must(!system(command), "ptxas refuses it", source);
}

/* Whether it was compiled. */
static bool compile_and_run(const char *source, size_t length, bool ask, int *good)
{
    const struct kernelc_source include = {"program.h", program_h, strlen(program_h)};
    const struct kernelc_job job = {.allocator = &heap_allocator,
                                    .source = {"k.cu", source, length},
                                    .include = &include,
                                    .includes = 1,
                                    .memory_limit = 64 << 20,
                                    .work_limit = 5000000};
    struct kernelc_result result;
    const bool compiled = kernelc_compile(&job, &result);
    must(compiled == (result.messages == 0), "it is compiled or has messages", source);
    for (int i = 0; i < result.messages; i++)
        must(result.message[i].text[0] && !strchr(result.message[i].text, '\n') &&
                 result.message[i].line >= 0,
             "a message is one line", source);
    if (compiled) {
        struct hostile_result ran;
        hostile_ptx(result.ptx, result.length, 32, &ran);
        must(!ran.broken, ran.broken ? ran.broken : "", source);
        must(ran.kernels >= (result.kernels < HOSTILE_KERNELS ? result.kernels : HOSTILE_KERNELS),
             ran.error.text, source);
        *good += ran.good;
        if (ask && !strstr(source, "asm")) /* whose text is passed on as it is */
            ask_ptxas(&result, source);
    }
    kernelc_free(&result);
    return compiled;
}

/* ---- as a hand-in -------------------------------------------------------------------------------- */

static struct exercise {
    char *text[3];
    struct grade_exercise *made;
    struct files parts; /* that students hand in */
} exercises[EXERCISES];
static int exercise_count;

static void read_exercise(const char *name)
{
    struct exercise *exercise = &exercises[exercise_count++];
    const struct grade_texts texts = exercise_texts(name, exercise->text);
    struct error error = {""};
    char path[300];
    exercise->made = grade_exercise_new(&heap_allocator, &texts, &error);
    must(exercise->made, error.text, name);
    exercise->parts = sources;
    exercise->parts.count = 0;
    snprintf(path, sizeof path, "tests/attempts/%s/*.cu", name);
    read_files(&exercise->parts, path, LARGEST);
    snprintf(path, sizeof path, "tests/solutions/%s.cu", name);
    read_files(&exercise->parts, path, LARGEST);
    must(exercise->parts.count > 0, "nothing is handed in", name);
}
static void read_exercises(void)
{
    glob_t found;
    assert_int_equal(glob("lessons/*/exercise.txt", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc && exercise_count < EXERCISES; i++) {
        strrchr(found.gl_pathv[i], '/')[0] = '\0';
        read_exercise(strchr(found.gl_pathv[i], '/') + 1);
    }
    globfree(&found);
}

/* A part with mistakes, or an exercise's source with some. Whether it was compiled. */
static bool hand_in(uint64_t *state)
{
    static char source[2 * ROOM], part[ROOM];
    const struct exercise *exercise = &exercises[draw(state, (uint32_t)exercise_count)];
    const char *const given = exercise->text[1];
    struct error trouble = {""};
    struct grade_marks marks;
    size_t length;
    if (draw(state, 8)) {
        mistaken_file(&exercise->parts, part, state);
        length = (size_t)sprintf(source, "%.*s]\n%s\n// [your part ends]\n",
                                 (int)strcspn(strstr(given, "[your part begins"), "]") +
                                     (int)(strstr(given, "[your part begins") - given),
                                 given, part);
    } else {
        length = strlen(given);
        memcpy(source, given, length + 1);
        length = make_mistake(&sources, source, length, state);
    }
    const struct grade_text text = {source, length};
    if (!grade_hand_in(exercise->made, &text, 1, &marks, &trouble)) {
        must(trouble.text[0] && !strchr(trouble.text, '\n'), "trouble is one line", source);
        return false;
    }
    must(marks.points >= 0 && marks.points <= marks.most, "points", source);
    must(marks.compiled == (marks.messages == 0), "a hand-in is compiled or has messages", source);
    return marks.compiled;
}

/* -------------------------------------------------------------------------------------------------- */

static void kernels_with_mistakes_are_refused_or_run(void **unused)
{
    static char source[ROOM];
    uint64_t state = seed;
    int compiled = 0, good = 0, graded = 0;
    struct error error = {""};
    size_t length;
    (void)unused;
    read_files(&sources, "web/starters/*.cu", LARGEST);
    read_files(&sources, "lessons/*/exercise.cu", LARGEST);
    read_files(&sources, "tests/programs/*.cu", LARGEST);
    assert_true(sources.count > 60);
    program_h = file_read("tests/programs/program.h", 1 << 20, &length, &error);
    assert_non_null(program_h);
    read_exercises();
    for (unsigned long i = 0; i < count; i++) {
        length = mistaken_file(&sources, source, &state);
        char *copy =
            malloc(length + 1); /* exactly its bytes, so that a read behind them is found */
        assert_non_null(copy);
        memcpy(copy, source, length + 1);
        alarm(SLOWEST);
        if (i % 4)
            compiled += compile_and_run(copy, length, i % BY_PTXAS == 1, &good);
        else
            graded += hand_in(&state);
        alarm(0);
        free(copy);
    }
    printf("# %lu sources: %d compiled, %d kernels ran to their end, %d hand-ins graded\n", count,
           compiled, good, graded);
    assert_true(compiled > (int)count / 10 && good > (int)count / 50 && graded > (int)count / 50);
    free_files(&sources);
    free(program_h);
    while (exercise_count) {
        struct exercise *exercise = &exercises[--exercise_count];
        grade_exercise_free(exercise->made);
        free_files(&exercise->parts);
        for (int k = 0; k < 3; k++)
            free(exercise->text[k]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_with_mistakes_are_refused_or_run)};
    if (argc > 1)
        count = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoul(argv[2], NULL, 10);
    return cmocka_run_group_tests_name("kernelc_fuzz", tests, NULL, NULL);
}
