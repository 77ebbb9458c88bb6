/* class.c - grades what a class hands in: many files at once, each in a process of its own, so that
 * whatever one of them does is one line in the table. */
#define _GNU_SOURCE /* strsignal */
#include "teach/teach.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- processes ----------------------------------------------------------------------------------- */

struct job {
    const struct grader *grader;
    struct hand_in *hand_in;
    int number;
    struct process process;
    double since;
};

static int work(void *context, void *shared)
{
    const struct job *job = context;
    exercise_check(job->grader, job->hand_in->exercise, job->hand_in->file, job->number, shared);
    return 0;
}

static void finish(struct job *job, int status)
{
    struct exercise_report *report = &job->hand_in->report;
    memcpy(report, job->process.shared, sizeof *report);
    process_free(&job->process);
    job->hand_in->seconds = clock_seconds() - job->since;
    report->trouble |= status != 0;
    if (WIFSIGNALED(status))
        error_set(&report->error, "%s: grading it crashed (%s)", job->hand_in->file,
                  strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        error_set(&report->error, "%s: grading it ended with status %d", job->hand_in->file,
                  WEXITSTATUS(status));
}

/* Grades those that have an exercise. */
static bool grade_all(const struct grader *grader, struct hand_in *hand_in, int count,
                      struct error *error)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int most = processors < 1 ? 1 : processors > 64 ? 64 : (int)processors, next = 0, busy = 0;
    struct job job[64] = {{.number = 0}};
    do {
        for (int i = 0; i < most; i++) {
            int status;
            if (job[i].hand_in && process_ended(&job[i].process, &status)) {
                finish(&job[i], status);
                job[i].hand_in = NULL;
                busy--;
            }
            while (next < count && !hand_in[next].exercise)
                next++;
            if (job[i].hand_in || next == count || error->text[0])
                continue;
            job[i] = (struct job){.grader = grader,
                                  .hand_in = &hand_in[next],
                                  .number = next,
                                  .since = clock_seconds()};
            if (process_start(&job[i].process, sizeof(struct exercise_report), work, &job[i],
                              error))
                busy++, next++;
            else
                job[i].hand_in = NULL;
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    } while (busy);
    return !error->text[0];
}

/* Whose a file is: "ada" of hand_ins/ada.cu if nobody is named. */
static void find_student(const struct grader *grader, struct hand_in *hand_in)
{
    struct error none = {{0}};
    const char *slash = strrchr(hand_in->file, '/'), *name = slash ? slash + 1 : hand_in->file;
    char *text = part_read(hand_in->file, &none);
    if (!text || !grader_student(grader, text, hand_in->student, sizeof hand_in->student))
        snprintf(hand_in->student, sizeof hand_in->student, "%.*s", (int)strcspn(name, "."), name);
    text_clean(hand_in->student);
    free(text);
}

/* ---- points -------------------------------------------------------------------------------------- */

/* What the file as handed out meets. */
static bool grade_given(const struct grader *grader, struct exercise *exercise, struct error *error)
{
    struct hand_in given = {.file = exercise->path, .exercise = exercise};
    if (!grade_all(grader, &given, 1, error))
        return false;
    if (given.report.error.text[0])
        return error_set(error, "%s", given.report.error.text);
    exercise->given = memory_new((size_t)given.report.findings, sizeof *exercise->given);
    for (int i = 0; i < given.report.findings; i++)
        exercise->given[i] = exercise_met(&given.report, i);
    return true;
}

static bool broke_something(const struct hand_in *hand_in)
{
    for (int i = 0; i < hand_in->report.findings; i++)
        if (hand_in->exercise->given[i] && !exercise_met(&hand_in->report, i))
            return true;
    return false;
}

int hand_in_points(const struct hand_in *hand_in, int i)
{
    return !hand_in->exercise->given[i] && exercise_met(&hand_in->report, i) &&
           !broke_something(hand_in);
}

static void count_points(struct hand_in *hand_in)
{
    if (!hand_in->exercise || hand_in->report.error.text[0])
        return;
    for (int i = 0; i < hand_in->report.findings; i++) {
        hand_in->most += !hand_in->exercise->given[i];
        hand_in->points += hand_in_points(hand_in, i);
    }
}

/* ---- likeness ------------------------------------------------------------------------------------ */

/* What a student's part has beyond that which all were given. */
static void prints_of(const struct hand_in *hand_in, struct part_prints *prints)
{
    const struct exercise *exercise = hand_in->exercise;
    struct error none = {{0}};
    struct part part;
    struct part_prints given;
    char *text = exercise ? part_read(hand_in->file, &none) : NULL;
    if (text && part_find(hand_in->file, text, &part, &none)) {
        part_prints_of(&part, &exercise->names, prints);
        part_prints_of(&exercise->part, &exercise->names, &given);
        part_prints_drop(prints, &given);
        free(given.print);
    }
    free(text);
}

static void compare(struct hand_in *hand_in, int count)
{
    struct part_prints *prints = memory_new((size_t)count, sizeof *prints);
    for (int i = 0; i < count; i++)
        prints_of(&hand_in[i], &prints[i]);
    for (int i = 0; i < count; i++) {
        hand_in[i].like = hand_in[i].likeness = -1;
        for (int k = 0; k < count; k++) {
            if (k == i || hand_in[k].exercise != hand_in[i].exercise)
                continue;
            int likeness = part_likeness(&prints[i], &prints[k]);
            if (likeness > hand_in[i].likeness) {
                hand_in[i].likeness = likeness;
                hand_in[i].like = k;
            }
        }
    }
    for (int i = 0; i < count; i++)
        free(prints[i].print);
    free(prints);
}

bool class_check(struct grader *grader, struct hand_in *hand_in, int count, struct error *error)
{
    for (int i = 0; i < count; i++) {
        find_student(grader, &hand_in[i]);
        hand_in[i].exercise = grader_exercise(grader, hand_in[i].file, &hand_in[i].report.error);
    }
    for (struct exercise *exercise = grader->exercises; exercise; exercise = exercise->next)
        if (!grade_given(grader, exercise, error))
            return false;
    if (!grade_all(grader, hand_in, count, error))
        return false;
    for (int i = 0; i < count; i++)
        count_points(&hand_in[i]);
    compare(hand_in, count);
    return true;
}
