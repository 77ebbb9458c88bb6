/* class.c - grades what is handed in: one file or a class's, each in a process of its own, so that all processors
 * have work, and whatever happens to one is one line in the table. */
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

/* What such a process tells. */
struct told {
    bool good;
    struct grade_marks marks;
    struct error trouble;
};

struct job {
    const struct grader *grader;
    struct hand_in *hand_in;
    struct process process;
    double since;
};

static struct grade_text source_of(const struct hand_in *hand_in)
{
    return (struct grade_text){hand_in->text, strlen(hand_in->text)};
}

static int work(void *context, void *shared)
{
    const struct job *job = context;
    const struct grade_text source = source_of(job->hand_in);
    struct told *told = shared;
    told->good = grade_hand_in(job->hand_in->exercise->grade, &source, job->grader->seed,
                               &told->marks, &told->trouble);
    return 0;
}

static void finish_job(struct job *job, int status)
{
    struct hand_in *hand_in = job->hand_in;
    const struct told *told = job->process.shared;
    hand_in->seconds = clock_seconds() - job->since;
    hand_in->marks = told->marks;
    hand_in->trouble = status != 0 || !told->good;
    if (WIFSIGNALED(status))
        error_set(&hand_in->error, "%s: grading it crashed (%s)", hand_in->file,
                  strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        error_set(&hand_in->error, "%s: grading it ended with status %d", hand_in->file,
                  WEXITSTATUS(status));
    else if (!told->good)
        error_set(&hand_in->error, "%s: %s", hand_in->file, told->trouble.text);
    process_free(&job->process);
}

static bool begin_job(const struct grader *grader, struct job *job, struct hand_in *hand_in,
                      struct error *error)
{
    *job = (struct job){.grader = grader, .hand_in = hand_in, .since = clock_seconds()};
    if (process_start(&job->process, sizeof(struct told), work, job, error))
        return true;
    job->hand_in = NULL;
    return false;
}

/* Grades those that have an exercise. */
static bool grade_all(const struct grader *grader, struct hand_in *hand_in, int count,
                      struct error *error)
{
    enum { MOST = 64 };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int most = processors < 1 ? 1 : processors > MOST ? MOST : (int)processors;
    int next = 0, busy = 0;
    struct job job[MOST] = {{.grader = NULL}};
    do {
        for (int i = 0; i < most; i++) {
            int status;
            if (job[i].hand_in && process_ended(&job[i].process, &status)) {
                finish_job(&job[i], status);
                job[i].hand_in = NULL;
                busy--;
            }
            while (next < count && !hand_in[next].exercise)
                next++;
            if (!job[i].hand_in && next < count && !error->text[0] &&
                begin_job(grader, &job[i], &hand_in[next], error))
                busy++, next++;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    } while (busy);
    return !error->text[0];
}

/* ---- files --------------------------------------------------------------------------------------- */

/* Finds whose file it is: the student whose numbers it has, or the name at its top, or "ada" of hand_ins/ada.cu. */
static void find_student(const struct grader *grader, struct hand_in *hand_in)
{
    const char *slash = strrchr(hand_in->file, '/'), *name = slash ? slash + 1 : hand_in->file;
    if (!hand_in->text ||
        (!grader_student(grader, hand_in->text, hand_in->student, sizeof hand_in->student) &&
         !draw_name(hand_in->text, "handed in by:", hand_in->student, sizeof hand_in->student)))
        snprintf(hand_in->student, sizeof hand_in->student, "%.*s", (int)strcspn(name, "."), name);
    text_clean(hand_in->student);
}

static void take_file(struct grader *grader, struct hand_in *hand_in)
{
    struct grade_source split;
    struct error cause = {{0}};
    hand_in->text = part_read(hand_in->file, &hand_in->error);
    find_student(grader, hand_in);
    if (!hand_in->text)
        return;
    const struct grade_text source = source_of(hand_in);
    if (!grade_split(&source, &split, &cause))
        error_set(&hand_in->error, "%s: %s", hand_in->file, cause.text);
    else
        hand_in->exercise = grader_exercise(grader, hand_in->file, hand_in->text, &hand_in->trouble,
                                            &hand_in->error);
    hand_in->part = split.part;
    hand_in->trouble = hand_in->trouble && hand_in->error.text[0];
}

/* ---- points -------------------------------------------------------------------------------------- */

bool hand_in_marked(const struct hand_in *hand_in)
{
    return !hand_in->error.text[0] && hand_in->marks.compiled;
}

int hand_in_points(const struct hand_in *hand_in, int i)
{
    return hand_in->marks.points && hand_in->marks.finding[i].points &&
           grade_met(&hand_in->marks, i);
}

int hand_in_met(const struct hand_in *hand_in)
{
    int met = 0;
    for (int i = 0; i < hand_in->marks.findings; i++)
        met += grade_met(&hand_in->marks, i);
    return met;
}

const char *finding_why(const struct grade_finding *finding)
{
    return finding->measured || finding->why[0] ? finding->why
                                                : "nothing to measure: no run got there";
}

/* ---- likeness ------------------------------------------------------------------------------------ */

/* What a student's part has beyond that which all were given. */
static void prints_of(const struct hand_in *hand_in, struct part_prints *prints)
{
    const struct exercise *exercise = hand_in->exercise;
    struct error none = {{0}};
    struct grade_source source;
    struct part_prints given;
    *prints = (struct part_prints){.count = 0};
    if (!exercise)
        return;
    const char *code = exercise->text[EXERCISE_CODE];
    grade_split(&(struct grade_text){code, strlen(code)}, &source, &none);
    part_prints_of(&hand_in->part, &source.before, prints);
    part_prints_of(&source.part, &source.before, &given);
    part_prints_drop(prints, &given);
    free(given.print);
}

static void compare_hand_ins(struct hand_in *hand_in, int count)
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
    for (int i = 0; i < count; i++)
        take_file(grader, &hand_in[i]);
    if (!grade_all(grader, hand_in, count, error))
        return false;
    compare_hand_ins(hand_in, count);
    return true;
}

void class_free(struct hand_in *hand_in, int count)
{
    for (int i = 0; i < count; i++)
        free(hand_in[i].text);
}
