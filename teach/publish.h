/* publish.h - what lessons are written as: pages, paper, copies of exercises, questions for Moodle, and folders of
 * these (publish.c).
 */
#ifndef BANKSCOPE_PUBLISH_H
#define BANKSCOPE_PUBLISH_H

#include "teach/teach.h"

/* Folders of lessons, in order. Begins as {0}. */
struct lesson_folders {
    char **path;
    int count;
    const char *asked; /* the folder of the user's own, as it was typed, or NULL */
};
/* Finds the lessons that come with the program, or one folder of the user's. false: there are none, or it cannot
 * be read. */
bool lesson_folders_own(struct lesson_folders *folders, struct error *error);
bool lesson_folders_of(struct lesson_folders *folders, const char *name, struct error *error);
void lesson_folders_free(struct lesson_folders *folders);
/* The index of the lesson of that name ("01-banks", "banks", "01" or "1"). -1: there is none. */
int lesson_folders_find(const struct lesson_folders *folders, const char *name,
                        struct error *error);
/* What stands behind the last slash. */
const char *lesson_base_name(const char *path);
/* The name by which a lesson that comes with the program is called: without its number. */
const char *lesson_short_name(const struct lesson_folders *folders, int i);

/* ---- write.c ----------------------------------------------------------------------------------- */

/* How lessons are written. */
struct lesson_writing {
    const char *path;     /* its end says what is written: .html, .pdf, .cu, .gift or .pot */
    const char *student;  /* whose numbers are drawn; NULL: nobody's */
    bool slides;          /* of a PDF: slides instead of a handout */
    bool answers;         /* of a handout: the teacher's copy */
    const char *language; /* of the lessons that have it; NULL: English */
    bool trusted;         /* a lesson of the user's may run the host part of its programs */
};
/* Whether lessons can be written as a file of that name's end, and whether that is paper. */
bool lesson_is_written_as(const char *path);
bool lesson_is_paper(const char *path);
/* Writes the lessons first to last into one file. */
bool lesson_write(const struct lesson_folders *folders, int first, int last,
                  const struct lesson_writing *writing, struct error *error);

/* ---- publish.c --------------------------------------------------------------------------------- */

/* Writes all that a class needs of the lessons into the folder `to`, which is made: pages, handouts, copies of the
 * exercises, and index.html. writing->path is not used. */
bool lesson_publish(const struct lesson_folders *folders, int first, int last,
                    const struct lesson_writing *writing, const char *to, struct error *error);
/* Writes an autograder in the format of Gradescope for the exercise of a lesson's folder. */
bool lesson_autograder(const char *folder, const char *to, struct error *error);

/* ---- answers_table.c --------------------------------------------------------------------------- */

/* Writes what was answered in the lessons first to last, as CSV or JSON; "-" is standard output (CSV, JSON). */
bool lesson_write_answers(const struct lesson_folders *folders, int first, int last, bool json,
                          const char *path, struct error *error);

#endif
