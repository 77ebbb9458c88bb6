/* lesson_write.h - what `bankscope lesson` writes: pages, paper, copies of exercises, and folders of these. */
#ifndef BANKSCOPE_LESSON_WRITE_H
#define BANKSCOPE_LESSON_WRITE_H

#include "teach/teach.h"

enum mode {
    MODE_FITTING,
    MODE_TEXT = 't',
    MODE_WINDOW = 'w',
    MODE_ANSWERS = 'a',
    RESTART = 'r',
    ALL = 'A',
    STUDENT = 's',
    PRESENT = 'p',
    SLIDES = 'S',
    WATCH = 'W',
    CSV = 'c',
    JSON = 'j',
    TRUST = 'T',
    AUTOGRADER = 'G',
    PUBLISH = 'P'
};

/* Folders of lessons, in order. */
struct folders {
    char **path;
    int count;
    const char *asked; /* the folder of the user's own, as it was typed, or NULL */
};

/* What was asked for on the command line. */
struct request {
    enum mode mode;
    bool restart, all, presenting, slides, watch, trust, trusted;
    const char *output, *student, *csv, *json, *autograder, *publish;
};

/* What stands behind the last slash. */
const char *lesson_base_name(const char *path);
/* Whether lessons can be written as a file of that name's end. */
bool lesson_is_written_as(const char *path);
/* Whether that is paper. */
bool lesson_is_paper(const char *path);
/* Writes the lessons first to last into request->output. */
bool lesson_write(const struct folders *folders, int first, int last, const struct request *request,
                  struct error *error);

/* ---- lesson_folder.c --------------------------------------------------------------------------- */

/* Writes all that a class needs of the lessons into a folder, which is made: pages, handouts, copies of the
 * exercises, and index.html. */
bool lesson_publish(const struct folders *folders, int first, int last,
                    const struct request *request, const char *to, struct error *error);
/* Writes an autograder in the format of Gradescope for the exercise of a lesson's folder. */
bool lesson_autograder(const char *folder, const char *to, struct error *error);

#endif
