/* launches.h - all launches of a program: as a list has them, and as a page. With HAVE_DW only. */
#ifndef BANKSCOPE_SUBJECT_LAUNCHES_H
#define BANKSCOPE_SUBJECT_LAUNCHES_H

#include "subject/workshop.h"

/* What a list says of a launch that the table has. */
void launch_row_of(const struct program_launch *launch, const struct program_table *table,
                   struct launch_row *row);
/* Whether a page of these subjects is to have all launches of a program: there is no other subject, and no launch is
 * chosen. */
bool launches_asked(const struct subjects *subjects);
/* Runs the program and writes a page with its launches, which begins with their list; where there is one launch it
 * begins there, at `place` (struct page). Says on standard error which found no room. Returns the program's exit
 * status, or -1: *error says why. */
int launches_page(const char *command, struct subject *subject, const char *place, const char *path,
                  struct error *error);

#endif
