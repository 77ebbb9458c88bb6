/* publish.h - lessons by their folders: which there are (folders.c, list.c), one begun (begin.c), and what they are
 * written as: pages, paper, copies of exercises, questions for Moodle (write.c), and folders of these (publish.c).
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

/* ---- list.c ------------------------------------------------------------------------------------ */

/* Prints a line for each lesson: name, how far the student has come, title. false: one could not be read; the others
 * are printed. */
bool lesson_list(const struct lesson_folders *folders, const char *language, FILE *file,
                 struct error *error);
/* What to type after lesson i: for its exercise, where it has one, and for the next lesson; one line each. */
void lesson_farewell(const struct lesson_folders *folders, int i, const struct lesson *lesson,
                     char *text, size_t room);
/* The names of those of the lessons first to last that lack the language, separated by commas; the caller frees. */
char *lesson_without_language(const struct lesson_folders *folders, int first, int last,
                              const char *language);

/* ---- begin.c ----------------------------------------------------------------------------------- */

/* Where a lesson is played. FITTING: in the window if there is a display, otherwise as text. CHECKED: not played; every
 * answer is printed, for its author. */
enum lesson_place { LESSON_FITTING, LESSON_AS_TEXT, LESSON_IN_WINDOW, LESSON_CHECKED };
struct lesson_way {
    enum lesson_place place;
    bool restart;         /* at the first page, instead of where the student left it */
    bool presenting;      /* to a class */
    bool trusted;         /* CUDA programs of the lesson's folder may run, with the user's rights */
    const char *student;  /* whose numbers are drawn; NULL: nobody's */
    const char *language; /* NULL: English */
};
/* Plays lesson i until its end or until the student leaves. *trouble says why progress could not be kept, or is
 * empty. */
bool lesson_begin(const struct lesson_folders *folders, int i, const struct lesson_way *way,
                  struct error *trouble, struct error *error);
/* Shows or checks the lesson that is being written in a folder whenever one of its files is saved: until the window is
 * closed, or without one, until a signal ends the program. */
bool lesson_begin_watched(const char *folder, const struct lesson_way *way, struct error *error);

/* ---- write.c ----------------------------------------------------------------------------------- */

/* How lessons are written. */
struct lesson_writing {
    const char *path;     /* its end says what is written: .html, .pdf, .cu, .gift or .pot */
    const char *student;  /* whose numbers are drawn; NULL: nobody's */
    bool slides;          /* of a PDF: slides instead of a handout */
    bool answers;         /* of a handout: the teacher's copy */
    const char *language; /* of the lessons that have it; NULL: English */
    bool trusted;         /* a lesson of the user's may run the host part of its programs */
    /* The page is one of a folder with an index, and leads to its neighbours. */
    bool published;
    const char *before, *after; /* these neighbours' folders, or NULL */
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

/* Writes what was answered in the lessons first to last, as CSV; "-" is standard output. */
bool lesson_write_answers(const struct lesson_folders *folders, int first, int last,
                          const char *path, struct error *error);

#endif
