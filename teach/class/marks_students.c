/* marks_students.c - marks as a table with one line per student: a column of points for each exercise. */
#include "teach/class/marks.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What a student has in an exercise. */
struct best {
    int files;     /* handed in */
    int points;    /* of the best of those with marks; -1: none has any */
    bool troubled; /* one could not be graded on this machine */
};

static struct best best_of(const struct hand_in *all, int count, const char *student,
                           const char *exercise)
{
    struct best best = {.points = -1};
    for (int k = 0; k < count; k++) {
        if (strcasecmp(all[k].student, student) != 0 || !all[k].exercise ||
            strcmp(all[k].exercise->name, exercise) != 0)
            continue;
        const int points = hand_in_marked(&all[k]) ? all[k].marks.points : all[k].trouble ? -1 : 0;
        best.files++;
        best.points = points > best.points ? points : best.points;
        best.troubled |= all[k].trouble;
    }
    return best;
}

/* The most points of the exercise; 0: no file of it has marks. */
static int most_of(const struct hand_in *all, int count, const char *exercise)
{
    for (int k = 0; k < count; k++)
        if (hand_in_marked(&all[k]) && !strcmp(all[k].exercise->name, exercise))
            return all[k].marks.most;
    return 0;
}

static bool is_first_of_exercise(const struct hand_in *all, int k)
{
    for (int i = 0; i < k && all[k].exercise; i++)
        if (all[i].exercise && !strcmp(all[i].exercise->name, all[k].exercise->name))
            return false;
    return all[k].exercise;
}

static bool is_first_of_student(const struct hand_in *all, int k)
{
    for (int i = 0; i < k; i++)
        if (!strcasecmp(all[i].student, all[k].student))
            return false;
    return true;
}

static void put_student(FILE *file, const struct hand_in *all, int count, const char *student)
{
    int points = 0, most = 0, files = 0, refused = 0;
    bool troubled = false;
    text_put(file, TEXT_QUOTED_CELL, student);
    for (int k = 0; k < count; k++) {
        files += !strcasecmp(all[k].student, student);
        refused += !strcasecmp(all[k].student, student) && !hand_in_marked(&all[k]);
        if (!is_first_of_exercise(all, k))
            continue;
        const struct best best = best_of(all, count, student, all[k].exercise->name);
        most += most_of(all, count, all[k].exercise->name);
        points += best.points > 0 ? best.points : 0;
        troubled |= best.troubled;
        fputc(',', file);
        if (best.files && best.points >= 0)
            fprintf(file, "%d", best.points);
    }
    /* A student who could not be graded here has no total: it would be a mark for the machine. */
    if (troubled)
        fprintf(file, ",,%d,%d,%d,not graded\n", most, files, refused);
    else
        fprintf(file, ",%d,%d,%d,%d,graded\n", points, most, files, refused);
}

bool marks_write_students(FILE *file, const struct grader *grader, const struct hand_in *hand_in,
                          int count)
{
    (void)grader;
    fputs("student", file);
    for (int k = 0; k < count; k++)
        if (is_first_of_exercise(hand_in, k)) {
            fputc(',', file);
            text_put(file, TEXT_QUOTED_CELL, hand_in[k].exercise->name);
        }
    fputs(",points,of,files,refused,state\n", file);
    for (int k = 0; k < count; k++)
        if (is_first_of_student(hand_in, k))
            put_student(file, hand_in, count, hand_in[k].student);
    return true;
}
