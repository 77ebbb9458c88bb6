/* check_tables.h - tables of a class's marks that have files of their own. */
#ifndef BANKSCOPE_CHECK_TABLES_H
#define BANKSCOPE_CHECK_TABLES_H

#include "teach/teach.h"

/* One line per student: points by exercise (of several files the best counts; empty: none was handed in, or none
 * could be graded), their sum, the most that there is, how many files, how many without marks, and "graded" or "not
 * graded" where this machine was at fault. Always true. */
bool check_write_students(FILE *file, const struct grader *grader, const struct hand_in *hand_in,
                          int count);

/* The marks of one hand-in as Gradescope's results.json: a score, and a test for each goal. Not for one that this
 * machine could not grade: that must not have any. false: it cannot be written. */
bool check_write_results(FILE *file, const struct grader *grader, const struct hand_in *hand_in,
                         int count);

#endif
