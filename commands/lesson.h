/* lesson.h - lessons: how they are read, evaluated and played.
 *
 * A lesson is data, lessons/NN-name/lesson.md; lessons/README.md describes its format and the
 * language of its expressions. lesson_read.c makes a struct lesson of it, lesson_play.c records
 * what it shows and judges answers, expression.c computes from recordings, and two players show it:
 * plain text (lesson.c) and the window (lesson_window.c). expression.c needs neither cmark nor the
 * viewer.
 */
#ifndef BANKSCOPE_LESSON_H
#define BANKSCOPE_LESSON_H

#include "commands/command.h"

/* ---- expression.c: numbers out of recordings ----------------------------------------------- */

/* A trace that expressions can name. Nothing in it is owned. */
struct recording {
    const char *label; /* letters, digits and _, begins with a letter */
    const struct trace *trace;
};

/* The value of an expression such as "passes(read, round=3)" or "six.conflicts(read) > 2" over
 * recordings, the latest last: names without a label mean the latest. A comparison is 1 or 0.
 * false: *error says what is wrong and in which column. Takes any text. */
bool expression_value(const char *text, const struct recording *recordings, int count,
                      int64_t *value, struct error *error);

/* ---- lesson_read.c: a lesson's file -------------------------------------------------------- */

enum { MAX_CHOICES = 6 };

/* A recording to show. */
struct lesson_run {
    char *label;
    char *command; /* "stride -p s=5", as it follows `bankscope run` */
    char *words;   /* private: what kernel and options point into */
    const char *kernel;
    struct record_options options;
    char *stage;                  /* NULL: the first */
    int round, slot, block, warp; /* of the picture */
    int cells;                    /* index into lesson_cells: what a cell shows */
    char *beside;                 /* label of an earlier recording to put beside it, or NULL */
};
extern const char *const lesson_cells[]; /* "thread", "address", "value", NULL */

struct lesson_quiz {
    char *question;
    int choices; /* 0: the answer is a number, that of `answer` */
    struct lesson_choice {
        char *text, *condition; /* the right choice is the one whose condition holds */
    } choice[MAX_CHOICES];
    char *answer;
    char *because; /* shown with the verdict; "" for none */
};

enum lesson_kind { LESSON_HEADING, LESSON_TEXT, LESSON_ITEM, LESSON_CODE, LESSON_RUN, LESSON_QUIZ };

/* Texts may hold {expressions}; those of code are meant literally. */
struct lesson_block {
    enum lesson_kind kind;
    int line; /* of the file */
    int page; /* from 0 */
    char *text;
    char *source; /* LESSON_CODE: the file that it quotes, below the data folder, or NULL */
    struct lesson_run run;
    struct lesson_quiz quiz;
};

struct lesson {
    char *name;   /* "01-banks" */
    char *folder; /* where its files are */
    char *title;
    int minutes; /* a student's time for reading and answering, estimated from the text */
    int pages, blocks, room;
    struct lesson_block *block;
};

/* Reads the lesson of a folder. false: *error names file and line; *lesson is empty. */
bool lesson_load(const char *folder, struct lesson *lesson, struct error *error);
void lesson_free(struct lesson *lesson);

/* ---- lesson_play.c: recordings and answers ------------------------------------------------- */

/* What a player has shown so far. Start with {.lesson = ...}. */
struct lesson_play {
    const struct lesson *lesson;
    int count;
    struct recording *recording; /* owns label and trace */
    int asked, right;            /* quizzes answered, and answered rightly at once */
};
void lesson_play_free(struct lesson_play *play);
/* Records what a run block names, as the latest recording. */
bool lesson_record(struct lesson_play *play, const struct lesson_block *block, struct error *error);
/* The recording of that label, or NULL. */
const struct trace *lesson_trace(const struct lesson_play *play, const char *label);
/* The warp access that a run block shows of its recording. false: it has none there. */
bool lesson_picture(const struct lesson_run *run, const struct trace *trace,
                    struct warp_access *access);
/* A copy of the text with every {expression} replaced by its value; the caller frees it. */
char *lesson_fill(const struct lesson_play *play, const struct lesson_block *block,
                  const char *text, struct error *error);
/* The right answer: a number, or the index of a choice. */
bool lesson_answer(const struct lesson_play *play, const struct lesson_block *block,
                   int64_t *answer, struct error *error);

enum lesson_verdict { VERDICT_RIGHT, VERDICT_WRONG, VERDICT_UNREADABLE };
/* Judges what a student typed: a number, or the letter of a choice. */
enum lesson_verdict lesson_judge(const struct lesson_quiz *quiz, const char *typed, int64_t answer);
/* The answer as a student would type it: "12", or "b) the text of the choice". */
void lesson_show_answer(const struct lesson_quiz *quiz, int64_t answer, char *text, size_t room);

/* ---- lesson_window.c ----------------------------------------------------------------------- */

/* Plays the lesson in the window until it is closed. false: *error says why there is none. */
bool lesson_window(struct lesson_play *play, const char *farewell, struct error *error);

#endif
