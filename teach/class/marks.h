/* marks.h - marks of exercises as text, tables and pages. Writers return false when the file cannot be written.
 */
#ifndef BANKSCOPE_MARKS_H
#define BANKSCOPE_MARKS_H

#include "teach/teach.h"

/* Writes the marks of `count` hand-ins; their grader drew the parameters. */
typedef bool marks_writer(FILE *file, const struct grader *grader, const struct hand_in *hand_in,
                          int count);

/* ---- marks_one.c --------------------------------------------------------------------------------- */

/* The goals of one file, why those that are not met are not, and its score. Returns whether all are met. */
bool marks_print(FILE *to, const struct grader *grader, const struct hand_in *hand_in);
/* What the compiler says of a file, as compilers do. */
void marks_print_messages(FILE *to, const struct hand_in *hand_in);
/* Writes a file by one of these writers; "-" is standard output, NULL: nothing is written. */
bool marks_write(const char *path, marks_writer *write, const struct grader *grader,
                 const struct hand_in *hand_in, int count, struct error *error);

/* ---- marks_class.c: a class ---------------------------------------------------------------------- */

/* A line for each file and goal. */
marks_writer marks_write_csv;
marks_writer marks_write_json;
/* A line for each file, as far as standard output is for people, and what came of all. Returns how many files meet
 * all goals. */
int marks_print_class(FILE *to, const struct grader *grader, const struct hand_in *hand_in,
                      int count);
/* "3 of 5 goals met, 0 of 2 points" */
void marks_print_score(FILE *to, const struct hand_in *hand_in);

/* ---- marks_students.c ---------------------------------------------------------------------------- */

/* A line for each student: points by exercise (of several files the best counts; empty: none was handed in, or none
 * could be graded), their sum, the most that there is, how many files, how many without marks, and "graded" or "not
 * graded" where this machine was at fault. */
marks_writer marks_write_students;

/* ---- marks_gradescope.c -------------------------------------------------------------------------- */

/* The marks of one hand-in as Gradescope's results.json: a score, and a test for each goal. Not for one that this
 * machine could not grade: that must not have any. */
marks_writer marks_write_gradescope;

/* ---- marks_pages.c ------------------------------------------------------------------------------- */

/* Writes FOLDER/NAME.html for each NAME.cu, with its marks and the picture of the round that fails; of files of one
 * name, NAME-2.html, ... Makes the folder. Needs HAVE_CAIRO. */
bool marks_write_pages(const char *folder, const struct hand_in *hand_in, int count,
                       struct error *error);

#endif
