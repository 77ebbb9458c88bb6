/* test_attempts.c - what students hand in for the exercises of the lessons, and the verdicts.
 *
 * Of each lesson with a exercise: its exercise as handed out must give the right result and miss something;
 * the part in tests/solutions has all points; and each part in tests/attempts/LESSON has the verdict that
 * its first line names, with what is said to it, in that order:
 *
 *     // 2 of 2 points
 *     // 0 of 2 points: serves 4 words | Which words do neighbouring lanes use
 *     // does not compile: #include
 */
#include "base/memory.h"
#include "base/text.h"
#include "grade/grade.h"
#include "system/file.h"
#include "tests/support/exercise_texts.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { SEED = 7, SOURCE = 64 << 10, SAID = 32 << 10, LESSONS = 32 };

struct exercise {
    char *owned[3];
    struct grade_exercise *made;
};

static char *read_all(const char *path)
{
    struct error error = {""};
    size_t length;
    char *text = file_read(path, SOURCE - 200, &length, &error);
    if (!text)
        fail_msg("%s", error.text);
    return text;
}

static void make(const char *lesson, struct exercise *exercise)
{
    const struct grade_texts texts = exercise_texts(lesson, exercise->owned);
    struct error error = {""};
    exercise->made = grade_exercise_new(&heap_allocator, &texts, &error);
    if (!exercise->made)
        fail_msg("%s: %s", lesson, error.text);
}

static void mark(const struct exercise *exercise, const char *text, struct grade_marks *marks)
{
    struct error trouble = {""};
    const struct grade_text source = {text, strlen(text)};
    if (!grade_hand_in(exercise->made, &source, SEED, marks, &trouble))
        fail_msg("%s", trouble.text);
}

static void mark_part(const struct exercise *exercise, const char *part, struct grade_marks *marks)
{
    static char source[SOURCE];
    snprintf(source, sizeof source, "/* [your part begins] */\n%s\n/* [your part ends] */\n", part);
    mark(exercise, source, marks);
}

/* What is said to a hand-in, one thing a line. */
static void say(const struct grade_marks *marks, char *said, size_t room)
{
    *said = '\0';
    for (int i = 0; i < marks->messages; i++)
        text_add(said, room, "line %d, column %d: %s\n", marks->message[i].line,
                 marks->message[i].column, marks->message[i].text);
    for (int i = 0; marks->compiled && i < marks->findings; i++) {
        const struct grade_finding *finding = &marks->finding[i];
        if (grade_met(marks, i))
            text_add(said, room, "%s: yes\n", finding->what);
        else
            text_add(said, room, "%s: not yet: %s%s%s\n", finding->what,
                     finding->measured ? finding->why : "no run got so far",
                     finding->hint ? ": " : "", finding->hint ? finding->hint : "");
    }
}

/* Whether all signs, with " | " between them, are there, in their order. */
static bool has_signs(const char *said, const char *signs)
{
    while (said && *signs) {
        char sign[200];
        const char *bar = strstr(signs, " | ");
        const size_t length = bar ? (size_t)(bar - signs) : strlen(signs);
        assert_true(length < sizeof sign);
        snprintf(sign, sizeof sign, "%.*s", (int)length, signs);
        said = strstr(said, sign);
        said = said ? said + length : NULL;
        signs += length + (bar ? 3 : 0);
    }
    return said != NULL;
}

/* Whether a first line, without its end, is right of these marks. */
static bool is_verdict(const char *line, const struct grade_marks *marks, const char *said)
{
    char verdict[80];
    if (marks->compiled)
        snprintf(verdict, sizeof verdict, "// %d of %d points", marks->points, marks->most);
    else
        snprintf(verdict, sizeof verdict, "// does not compile");
    const size_t length = strlen(verdict);
    if (strncmp(line, verdict, length))
        return false;
    return !line[length] ||
           (!strncmp(line + length, ": ", 2) && has_signs(said, line + length + 2));
}

static bool is_as_expected(const struct exercise *exercise, const char *path)
{
    static char said[SAID];
    static struct grade_marks marks;
    char *part = read_all(path), line[1000] = "";
    snprintf(line, sizeof line, "%.*s", (int)strcspn(part, "\n"), part);
    mark_part(exercise, part, &marks);
    say(&marks, said, sizeof said);
    const bool good = is_verdict(line, &marks, said);
    if (!good)
        print_message("%s\n  %s\n  %d of %d points\n%s", path, line, marks.points, marks.most,
                      said);
    free(part);
    return good;
}

static void check_given(const struct exercise *exercise)
{
    static struct grade_marks marks;
    mark(exercise, exercise->owned[1], &marks);
    assert_true(marks.compiled && grade_met(&marks, 0));
    assert_int_equal(marks.points, 0);
    assert_true(marks.most > 0);
}

static void check_solution(const struct exercise *exercise, const char *lesson)
{
    static char said[SAID];
    static struct grade_marks marks;
    char path[200];
    snprintf(path, sizeof path, "tests/solutions/%s.cu", lesson);
    char *part = read_all(path);
    mark_part(exercise, part, &marks);
    say(&marks, said, sizeof said);
    if (marks.points < marks.most)
        fail_msg("%s\n%s", path, said);
    free(part);
}

static void hand_ins_of_a_lesson(void **state)
{
    const char *lesson = *state;
    struct exercise exercise;
    char pattern[200];
    glob_t found = {0};
    int bad = 0, right = 0, wrong = 0;
    make(lesson, &exercise);
    check_given(&exercise);
    check_solution(&exercise, lesson);
    snprintf(pattern, sizeof pattern, "tests/attempts/%s/*.cu", lesson);
    if (glob(pattern, 0, NULL, &found))
        fail_msg("there is no %s", pattern);
    const clock_t begin = clock();
    for (size_t i = 0; i < found.gl_pathc; i++) {
        bad += !is_as_expected(&exercise, found.gl_pathv[i]);
        right += strstr(found.gl_pathv[i], "/right-") != NULL;
        wrong += strstr(found.gl_pathv[i], "/wrong-") != NULL;
    }
    print_message("%zu hand-ins in %.2f s\n", found.gl_pathc,
                  (double)(clock() - begin) / CLOCKS_PER_SEC);
    globfree(&found);
    grade_exercise_free(exercise.made);
    for (int i = 0; i < 3; i++)
        free(exercise.owned[i]);
    assert_int_equal(bad, 0);
    assert_true(right >= 4 && wrong >= 6); /* unusual right ones, typical wrong ones */
}

int main(void)
{
    static char lessons[LESSONS][80];
    static struct CMUnitTest tests[LESSONS];
    glob_t found = {0};
    size_t count = 0;
    if (glob("lessons/*/exercise.txt", 0, NULL, &found))
        return 1;
    for (; count < found.gl_pathc && count < LESSONS; count++) {
        const char *name = found.gl_pathv[count] + strlen("lessons/");
        snprintf(lessons[count], sizeof lessons[count], "%.*s", (int)strcspn(name, "/"), name);
        tests[count] = (struct CMUnitTest){.name = lessons[count],
                                           .test_func = hand_ins_of_a_lesson,
                                           .initial_state = lessons[count]};
    }
    globfree(&found);
    return _cmocka_run_group_tests("attempts", tests, count, NULL, NULL);
}
