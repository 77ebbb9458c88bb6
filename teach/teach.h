/* teach.h - the lessons' engine.
 *
 * A lesson is data, lessons/NN-name/lesson.md; lessons/README.md describes its format and the
 * language of its expressions. read.c makes a struct lesson of it, play.c records what it shows and
 * judges answers, and players show it: plain text (text.c), the window (window.c), a web page
 * (page.c) and paper (paper.c, paper_figure.c). present.c has a presenter's notes, describe.c says pictures in words, lab.c says
 * what measurements mean, and translate.c puts another language in the place of English. progress.c remembers how
 * far a student has come. answers.c plays it for its author. expression.c computes
 * from recordings, with the functions of measure.c. Of class/, exercise.c knows the exercises, class.c grades what students
 * made of them, by grade/, and likeness.c compares it. None of these needs cmark or the viewer; class/failing.c, which
 * shows why a file has not all its points, needs the latter.
 */
#ifndef BANKSCOPE_TEACH_H
#define BANKSCOPE_TEACH_H

#include "grade/grade.h"
#include "kernels/catalogue.h"
#include "system/paths.h"
#include "system/process.h"

#include <limits.h>

/* ---- expression.c: numbers out of recordings ----------------------------------------------- */

/* What expressions can name: a trace, a program's report, or a number that was drawn. Nothing in it is owned. */
struct report;
struct recording {
    const char *label;           /* letters, digits and _, begins with a letter */
    const struct trace *trace;   /* NULL: it is the report, or the number */
    const struct report *report; /* names then mean what is in it */
    bool unread; /* the report is not there yet: names are not looked up, and count 1 */
    int64_t number;
    const char *command; /* of the trace, as a lesson shows it: "stride s=5"; or NULL */
};

/* The value of an expression such as "passes(read, round=3)" or "six.conflicts(read) > 2" over
 * recordings, the latest last: names without a label mean a drawn number, or else the latest trace. A
 * comparison is 1 or 0.
 * false: *error says what is wrong and in which column. Takes any text. */
bool expression_value(const char *text, const struct recording *recordings, int count,
                      int64_t *value, struct error *error);

/* ---- draw.c: numbers that differ from student to student ------------------------------------- */

/* The number that is called `name` and that this student gets of the choices: "3..9" or "5, 7, 11",
 * each an expression over what is known. Case and blanks of the student's name do not matter; NULL:
 * nobody's, which is the first choice. */
bool draw_number(const char *name, const char *choices, const char *student,
                 const struct recording *known, int count, int64_t *value, struct error *error);

/* An exercise's text with a student's numbers, for the caller to free: those of lines such as
 *     #define ROW 33 // drawn: 33, 37, 41
 * NULL: *error says which line is wrong. `file` names it. */
char *draw_exercise(const char *file, const char *text, const char *student, struct error *error);
/* The student that a text names before the student's part: "student: Ada Lovelace"; and what stands behind another
 * sign there. */
bool draw_student(const char *text, char *name, size_t room);
bool draw_name(const char *text, const char *sign, char *name, size_t room);

/* ---- measure.c: what the functions of expressions count ------------------------------------ */

/* Which warp accesses an argument list picks; -1: all. */
struct selection {
    int stage, round, slot, block, warp, op, bank, thread;
    int line; /* of the source */
};

/* The stage of that name; a dash may stand for a blank, as in "phase-1". -1: there is none. */
int stage_called(const struct trace_header *header, const char *name);

/* The function called `name`, such as "passes", or NULL; their names, NULL after the last. */
const struct measure *measure_find(const char *name);
const char *measure_name(int i);
/* What it counts of the selected accesses. false: there are none, or it needs another selection. */
bool measure_run(const struct measure *measure, const struct trace *trace,
                 const struct selection *selection, int64_t *value, struct error *error);

/* ---- measure_report.c: what they count of a report ------------------------------------------- */

/* Which rows of a report an argument list picks; NULL or -1: all. */
struct report_selection {
    const char *kernel, *file, *array;
    int line, op;
};
/* "instructions", "passes", "least", "conflicts", "max_ways", "launches", "faults"; ends with NULL. */
const char *const *report_measures(void);
/* What the function counts of the selected rows: 0 where there are none. false: there is no such function, kernel,
 * file or array; *error lists what there is. */
bool report_measure(const struct report *report, const char *name,
                    const struct report_selection *selection, int64_t *value, struct error *error);

/* ---- translate.c: other languages ------------------------------------------------------------ */

/* What stands in the place of English texts. Start with {.count = 0}. */
struct translation {
    int count;
    struct translation_entry {
        char *english, *other;
        int line; /* of its file */
    } * entry;
};

/* Whether it is the name of a language, "de" or "pt_BR": then it is safe in a file's name. */
bool translation_is_language(const char *name);
/* Reads what players say in that language, from lessons/LANGUAGE.po. Without that file, nothing. false: *error says
 * which line of it is wrong. */
bool translation_load(const char *language, struct translation *translation, struct error *error);
void translation_free(struct translation *translation);
/* The English text in that language, or itself. */
const char *translation_says(const struct translation *translation, const char *english)
    __attribute__((format_arg(2)));

/* Whether the lesson of a folder is there in that language, in LANGUAGE.po. */
bool lesson_has_language(const char *folder, const char *language);
struct lesson;
/* Puts the texts of that language in the place of the lesson's, where it has them; otherwise it stays in English.
 * false: *error says which text is missing, or has other numbers, `code` or {expressions} than the English one. */
bool lesson_translate(struct lesson *lesson, const char *language, struct error *error);
/* What a player says, in the lesson's language. `english` stands in the sources, and lessons/LANGUAGE.po has it. */
const char *lesson_says(const struct lesson *lesson, const char *english)
    __attribute__((format_arg(2)));
/* Writes the English texts of a lesson for whoever translates it, in gettext's format. */
bool lesson_template(struct lesson *lesson, FILE *file, struct error *error);

/* ---- read.c: a lesson's file --------------------------------------------------------------- */

enum {
    MAX_CHOICES = 6,
    MAX_NUDGES = 6,
    MAX_QUIZ_TEXT = 1200
}; /* bytes of one text of a question or note */

/* A recording to show. */
struct lesson_run {
    char *label;
    char *command;                /* a recipe: "stride s=5"; may hold {expressions} */
    char *stage;                  /* NULL: lesson_stage chooses */
    int round, slot, block, warp; /* of the picture */
    int cells;                    /* enum label: what a cell shows */
    char *beside;                 /* label of an earlier recording to put beside it, or NULL */
};

struct lesson_quiz {
    char *question;
    uint32_t hash; /* of the question in English, by which its answers are kept */
    int choices;   /* 0: the answer is a number, that of `answer` */
    struct lesson_choice {
        char *text, *condition; /* the right choice is the one whose condition holds */
    } choice[MAX_CHOICES];
    char *answer;
    int nudges;
    struct lesson_nudge {
        char *when; /* the wrong answer that it is for: an expression, or the letter of a choice */
        char *text;
    } nudge[MAX_NUDGES];
    char *idea;    /* a hint for whoever is stuck; "" for none */
    char *because; /* shown with the verdict; "" for none */
    unsigned hide; /* enum hide of viewer.h: what the picture keeps back until it is answered */
};

/* What a student has measured, and what it means: the numbers are asked for, and every text whose condition holds is
 * said. Conditions and texts know these numbers alone. */
enum { MAX_ASKS = 6, MAX_SAYS = 12 };
struct lesson_lab {
    char *question;
    int asks;
    struct lesson_ask {
        char *name, *example,
            *metric; /* example: an expression over the recordings; metric: as a profiler calls it */
    } ask[MAX_ASKS];
    int says;
    struct lesson_say {
        char *condition, *text;
    } say[MAX_SAYS];
};

enum lesson_kind {
    LESSON_HEADING,
    LESSON_TEXT,
    LESSON_ITEM,
    LESSON_CODE,
    LESSON_RUN,
    LESSON_QUIZ,
    LESSON_DRAW, /* a number: `source` is its name, `text` the choices */
    LESSON_NOTE, /* for the teacher only */
    LESSON_LAB,
};

/* Texts may hold {expressions}, and `code` between backquotes, where braces are meant literally. */
struct lesson_block {
    enum lesson_kind kind;
    int line;   /* of the file */
    int page;   /* from 0 */
    int number; /* LESSON_ITEM: in a numbered list 1 or more; 0: it has a bullet; -1: it is a further
                 * paragraph of the item before */
    char *text;
    char *source; /* LESSON_CODE: the file that it quotes, below the data folder, or NULL */
    bool drawn;   /* LESSON_CODE: it is a drawing of letters, which have a translation */
    struct lesson_run run;
    struct lesson_quiz quiz;
    struct lesson_lab lab;
};

struct lesson {
    char *name;   /* "01-banks" */
    char *folder; /* where its files are */
    char *title;
    int minutes;  /* 1 or more: to read it and to answer, as measured, or as read.c estimates it */
    int exercise; /* minutes for the exercise, as measured, as the author says, or as read.c estimates; 0: it has none */
    bool exercise_said; /* by the author */
    char *measured;     /* with whom: "24 students, spring 2027"; NULL: the times are estimates */
    char *after;        /* the lessons that come before, "01-banks, 03-broadcast", or NULL */
    char language[8];   /* of its texts; "": English */
    struct translation words; /* what players say in it */
    int pages, blocks;
    struct lesson_block *block;
};

/* Reads the lesson of a folder, in that language if it has it (NULL: in English). false: *error names file and line;
 * *lesson is empty. */
bool lesson_load(const char *folder, const char *language, struct lesson *lesson,
                 struct error *error);
void lesson_free(struct lesson *lesson);
/* Whether it has numbers that differ from student to student. */
bool lesson_draws(const struct lesson *lesson);
/* How long it takes and how one knows: "15 minutes, estimated from its length, and ...". */
enum { LESSON_TIMES = 320 };
void lesson_times(const struct lesson *lesson, char text[LESSON_TIMES]);

/* ---- play.c: recordings and answers -------------------------------------------------------- */

/* What a player has shown so far. Start with {.lesson = ...}. */
struct lesson_play {
    const struct lesson *lesson;
    int count;
    struct recording *recording; /* owns label, trace and command */
    size_t room;
    const char *student; /* whose numbers are drawn, or NULL */
    bool presenting;     /* to a class */
    /* What stands before and behind a lesson's name in the addresses of pages; NULL: the page is alone. */
    const char *link[2];
    bool trusted;         /* CUDA programs of the lesson's folder may run, with the user's rights */
    int asked, right;     /* quizzes answered, and answered rightly at once */
    int page;             /* where the student is; a player begins there */
    bool done;            /* the lesson's end has been reached, now or earlier */
    bool keep;            /* page and done are kept from run to run */
    bool attempted;       /* answers go on with the attempt that is kept */
    bool replaying;       /* answers are those that are kept */
    char *recalled;       /* the student's name of that attempt, owned, or NULL */
    struct error trouble; /* why they could not be kept */
};
void lesson_play_free(struct lesson_play *play);
/* Puts the file and the line of a block in front of what went wrong. Returns false. */
bool lesson_at(const struct lesson *lesson, const struct lesson_block *block,
               const struct error *cause, struct error *error);
/* What --launch and --memory say of a CUDA program; NULL: nothing. The caller frees both. */
struct lesson_options {
    char *launch, *memory;
};
/* Takes a recipe apart. Free what it gives also when it fails. */
bool lesson_words(const char *command, struct recipe_words *words, struct lesson_options *options,
                  struct error *error);
void lesson_options_free(struct lesson_options *options);
/* Records what a run block names, as the latest recording, or draws the number of a draw block. */
bool lesson_record(struct lesson_play *play, const struct lesson_block *block, struct error *error);
/* The recording of that label, or NULL; the command that made it. */
const struct trace *lesson_trace(const struct lesson_play *play, const char *label);
const char *lesson_command(const struct lesson_play *play, const char *label);
/* The stage that a run block shows: without a name the first one behind `setup`; -1: there is none of
 * that name. */
int lesson_stage(const struct lesson_run *run, const struct trace_header *header);
/* The warp access that a run block shows of its recording. false: it has none there. */
bool lesson_picture(const struct lesson_run *run, const struct trace *trace,
                    struct warp_access *access);
struct figure_part;
struct trace_index;
/* The picture of that access, without what `hide` (HIDE_...) says. The index must outlive it. */
struct figure_part lesson_part(const struct lesson_run *run, const struct trace_index *index,
                               const struct warp_access *access, unsigned hide);
/* Prepares the picture for a figure: *index is to be freed in any case, after it was drawn. */
bool lesson_take_part(const struct lesson_run *run, const struct trace *trace, unsigned hide,
                      struct trace_index *index, struct figure_part *part, struct error *error);
/* Whether the two recordings of the run block are launches of one kernel with the same parameters, so that only the
 * lesson's names tell them apart. Then these are the titles of their pictures: beside's first. */
enum { LESSON_TITLE = 256 };
bool lesson_tell_apart(const struct lesson_play *play, const struct lesson_run *run,
                       char title[2][LESSON_TITLE]);
/* What the rows, cells and numbers are of a picture without what `hide` says, in a sentence or two. */
const char *lesson_axes(const struct lesson_play *play, const struct lesson_run *run,
                        unsigned hide);
/* If a picture has so many banks and columns that nobody could read its cells, leaves out the middle, but for where the
 * access is, if that is in few places. What is shown is in crop[2], which must outlive the part. */
struct numbers;
void lesson_crop(const struct lesson_run *run, struct figure_part *part, struct numbers *crop);
/* What the pictures show, each bank with its words and their threads, for those who cannot see them; the caller frees
 * it. */
char *lesson_describe(const struct lesson_run *run, const struct figure_part *part, int parts,
                      struct error *error);
/* What the questions behind a block of its page want hidden: enum hide of viewer.h. */
unsigned lesson_hides(const struct lesson *lesson, const struct lesson_block *block);
/* A copy of the text with every {expression} replaced by its value; the caller frees it. */
char *lesson_fill(const struct lesson_play *play, const struct lesson_block *block,
                  const char *text, struct error *error);
/* What stands before an item: "3. ", or `bullet`, or as many blanks. */
const char *lesson_mark(const struct lesson_block *block, const char *bullet, char mark[16]);
/* Takes the backquotes of code out of the text, for where letters have one look only. */
char *lesson_plain(char *text);
/* The right answer: a number, or the index of a choice. */
bool lesson_answer(const struct lesson_play *play, const struct lesson_block *block,
                   int64_t *answer, struct error *error);

/* How far a student has come with a question. Start with {0}. */
struct lesson_tries {
    int wrong; /* answers */
    bool idea; /* has been told */
    bool done, right;
    char said[4096]; /* the last reply; "" for none yet */
};
/* Takes what a student typed for a question that is not done: a number, the letter of a choice, or
 * "h" for a hint. A wrong answer gets the nudge made for it; the next one, or the first h, the idea;
 * then the answer is told. What is no answer costs no try. The reply, with `code` between
 * backquotes, is in tries->said; play->asked and play->right are kept. */
bool lesson_reply(struct lesson_play *play, const struct lesson_block *block,
                  struct lesson_tries *tries, const char *typed, struct error *error);
/* Whether the next h tells an idea, and not yet the answer. */
bool lesson_has_hint(const struct lesson_block *block, const struct lesson_tries *tries);
/* The wrong answer that triggers a nudge: a number, or the index of a choice. */
bool lesson_nudge_for(const struct lesson_play *play, const struct lesson_quiz *quiz, int nudge,
                      int64_t *answer, struct error *cause);
/* The answer as a student would type it: "12", or "b) the text of the choice". */
void lesson_show_answer(const struct lesson_quiz *quiz, int64_t answer, char *text, size_t room);

/* ---- lab.c: what a student has measured -------------------------------------------------------- */

/* Numbers so far. Start with {0}. */
struct lesson_numbers {
    int given; /* in the order of the lab's asks */
    int64_t number[MAX_ASKS];
    char said[4096]; /* the last reply; "" for none yet */
};
/* Takes what a student typed: the next number, the name of a CSV file of ncu's with all of them, or "h" for the
 * example. When the last number is there, numbers->said is what they mean, and the next ones may be typed. What is
 * none of these is told, too. */
bool lesson_measured(const struct lesson_play *play, const struct lesson_block *block,
                     struct lesson_numbers *numbers, const char *typed, struct error *error);
/* The numbers that the author gives as an example. */
bool lesson_example(const struct lesson_play *play, const struct lesson_block *block,
                    struct lesson_numbers *numbers, struct error *error);
/* Whether all conditions and texts can be computed, of whatever numbers: a division must be guarded by its condition. */
bool lesson_check_lab(const struct lesson_play *play, const struct lesson_block *block,
                      struct error *error);

/* ---- program.c: ordinary CUDA programs ------------------------------------------------------- */

/* Whether the file is one, not a kernel in the dialect. */
bool program_is_ordinary(const char *file);
/* Builds it and records a launch (options->launch, a number; else the first that uses the memory that
 * options->memory names, shared memory if none), with accesses as they are written, so that a lesson's numbers
 * are the same with and without an nvcc. */
bool program_record_file(const char *file, const struct lesson_options *options,
                         struct trace *trace, struct error *error);

/* ---- progress.c: what is remembered of a lesson -------------------------------------------- */

/* The path of a file that is kept of a lesson: its name and the extension. make: the folder, too. */
bool lesson_kept(const struct lesson *lesson, const char *extension, bool make, char *path,
                 size_t room, struct error *error);
/* Sets play->page and play->done to what was kept of the lesson; one that is done begins anew. */
void lesson_recall(struct lesson_play *play);
/* Moves to a page, and keeps it where play->keep is set; done: the end of the last page. */
void lesson_go(struct lesson_play *play, int page, bool done);

/* ---- results.c: what was answered ------------------------------------------------------------ */

/* Goes on with the attempt that is kept, if it is this student's; without a name, its student is. For
 * another student the lesson begins anew. */
void lesson_recall_answers(struct lesson_play *play);
/* Keeps a reply, where play->keep is set. */
void lesson_keep_reply(struct lesson_play *play, const struct lesson_block *block,
                       const char *typed);
/* Gives the replies of the attempt once more, for a question that is met for the first time. */
bool lesson_restore(struct lesson_play *play, const struct lesson_block *block,
                    struct lesson_tries *tries, struct error *error);

/* What became of a question in one of the attempts. */
struct lesson_result {
    int attempt, question; /* from 1 */
    const char *student;   /* or NULL */
    const char *verdict;   /* "right at once", "right" (later), "told", "open" */
    int wrong;             /* answers */
    bool hint;             /* was asked for */
    char answers[256];     /* what was typed, "16; h; 2" */
    char right[256];       /* answer */
    char text[1300];       /* of the question */
    int64_t time;          /* of the last reply, in seconds since 1970; 0: none */
};
typedef void lesson_take_result(void *context, const struct lesson *lesson,
                                const struct lesson_result *result);
/* Hands over what is kept of all attempts at a lesson, question by question. */
bool lesson_results(const struct lesson *lesson, lesson_take_result *take, void *context,
                    struct error *error);

/* ---- text.c, window.c: the players --------------------------------------------------------- */

/* Plays the lesson on standard output, with answers from standard input; the farewell says how to
 * go on ("": nothing). */
bool lesson_text(struct lesson_play *play, const char *farewell, struct error *error);
/* Plays in the window a lesson that is being written: whenever a file of its folder is saved, shows the page that has
 * changed, or what is wrong. Questions that stay as they are stay answered. play->lesson is
 * replaced meanwhile. */
bool lesson_watch(struct lesson_play *play, const char *folder, const char *language,
                  struct error *error);
/* Plays it in the window until that is closed. false: *error says why there is none. */
bool lesson_window(struct lesson_play *play, const char *farewell, struct error *error);

/* ---- present.c ----------------------------------------------------------------------------- */

struct pane_block;
/* What is said of a question: "Answer: 3", and the reason on a new line; the caller frees it. NULL: *error says why. */
char *lesson_answer_text(const struct lesson_play *play, const struct lesson_block *block,
                         struct error *error);
/* The answer, what to say to wrong ones, and the hint, for whoever teaches: at most MAX_NUDGES + 2 notes, whose texts
 * the caller frees. Returns how many; where *error says what is wrong, those before it. */
int lesson_answer_notes(const struct lesson_play *play, const struct lesson_block *block,
                        struct pane_block *note, int most, struct error *error);
/* The presenter's notes of the page where play is; waiting: the block of the question that waits, or -1. Fills in `most`
 * notes at most, whose texts the caller frees, and returns how many. */
int lesson_notes(const struct lesson_play *play, int waiting, struct pane_block *note, int most);

/* ---- watch.c ------------------------------------------------------------------------------- */

/* Changes whenever a file of the folder does. */
uint64_t lesson_stamp(const char *folder);
/* The text of its lesson.md, "" for none; the caller frees it. */
char *lesson_source(const char *folder);
/* The page where two texts of the lesson begin to differ; -1: they are the same, or there is no page. */
int lesson_changed_page(const struct lesson *lesson, const char *before, const char *now);

/* ---- page.c ------------------------------------------------------------------------------------ */

/* Writes the lesson as HTML, a section that a page of viewer/export/page.h takes as a part of its article. */
bool lesson_page(struct lesson_play *play, FILE *file, struct error *error);
/* The words of the course, folded. */
bool lesson_page_glossary(const struct lesson *lesson, FILE *file, struct error *error);

/* ---- glossary.c ------------------------------------------------------------------------------- */

/* The words of the course, a line "bank: one of the 32 memories ..." for each; the caller frees it. NULL: *error says
 * why they cannot be read. */
char *lesson_glossary(const struct translation *translation, struct error *error);

/* ---- gift.c ------------------------------------------------------------------------------------ */

/* Writes the lesson's questions in the format GIFT, which Moodle imports: with the computed answers, what wrong ones
 * get, and the pictures as text. */
bool lesson_gift(struct lesson_play *play, FILE *file, struct error *error);

/* ---- paper.c, paper_figure.c ------------------------------------------------------------------ */

struct document;
/* Adds the lesson to a document: a handout, with answers and notes for the teacher if wanted, or
 * slides. */
bool lesson_paper(struct lesson_play *play, bool slides, bool answers, struct document *document,
                  struct error *error);

/* ---- answers.c ----------------------------------------------------------------------------- */

/* Plays without a player: makes every recording, checks every number and quotation, and prints
 * every answer. */
bool lesson_answers(struct lesson_play *play, struct error *error);

/* ---- exercise.c: exercises, and which of them a file is a solution of ------------------------- */

/* What an exercise is in a folder: exercise.txt, exercise.cu, grading.cu. */
enum { EXERCISE_TABLE, EXERCISE_CODE, EXERCISE_GRADING, EXERCISE_TEXTS };

/* Whether a folder has an exercise. */
bool exercise_is_there(const char *folder);
/* Reads its texts, with a student's numbers (NULL: nobody's). Free them in any case. */
bool exercise_texts(const char *folder, const char *student, char *text[EXERCISE_TEXTS],
                    struct error *error);
void exercise_texts_free(char *text[EXERCISE_TEXTS]);
/* Writes a student's copy of EXERCISE_CODE: first which exercise it is, and whose (NULL: nobody's). */
bool exercise_hand_out(FILE *file, const char *name, const char *student, const char *text);

/* The lessons that come with the program: their folders in root, in order, for the caller to free. Returns how
 * many; 0: *error says why there is none. */
struct dirent;
int lessons_find(char *root, size_t room, struct dirent ***entry, struct error *error);

/* ---- names.c: what lessons are called, and were ------------------------------------------------ */

/* Whether the folder NN-name is meant by 01-banks, banks, 01 or 1, or by a name that it had. */
bool lesson_is_called(const char *folder, const char *name);
/* The name that it had, or NULL. */
const char *lesson_name_before(const char *name);
/* The lesson whose number a hand-in of the first edition says, "05"; any other stays as it is. */
const char *lesson_name_of_number(const char *number);

struct exercise {
    char name[64]; /* of its folder */
    char *folder, *text[EXERCISE_TEXTS];
    struct grade_exercise *grade;
    struct exercise *next;
};

/* What grades share. Set the first three. */
struct grader {
    const char *wanted;  /* the lesson or the folder that all files are for; NULL: each says it */
    const char *student; /* whose numbers all files have; NULL: each says it, or has nobody's */
    uint64_t seed;       /* of the tries beyond those that the exercise names */
    struct exercise *exercises;
};
void grader_end(struct grader *grader);
/* The student whose numbers a text has: grader->student, or the name at its top. false: nobody's. */
bool grader_student(const struct grader *grader, const char *text, char *name, size_t room);
/* The exercise that the text of a file is a solution of. NULL: *error says why; *trouble: that is not the file's
 * fault. */
const struct exercise *grader_exercise(struct grader *grader, const char *file, const char *text,
                                       bool *trouble, struct error *error);

/* ---- part.c: what a student writes -------------------------------------------------------------- */

/* The text of a file, with the ends of lines and the beginning that every editor shows; the caller
 * frees it. NULL: *error says why. */
char *part_read(const char *file, struct error *error);
/* How many words a student has to read of an exercise's code, and lines to write: those of the part as
 * it is handed out that have more than a bracket. */
int part_effort(const char *exercise, int *lines);

/* ---- likeness.c --------------------------------------------------------------------------------- */

/* What a part is made of, whatever its names, blanks and comments: ascending numbers, each for a few
 * tokens in a row. `before` is the exercise's text, whose names are no student's. The caller frees
 * prints->print. */
struct part_prints {
    size_t count;
    uint64_t *print;
};
void part_prints_of(const struct grade_text *part, const struct grade_text *before,
                    struct part_prints *prints);
/* Drops those that everyone was given. */
void part_prints_drop(struct part_prints *prints, const struct part_prints *given);
/* How many of both are the same, in percent; -1: a part is so short that this says nothing. */
int part_likeness(struct part_prints *a, const struct part_prints *b);

/* ---- class.c: the grades ------------------------------------------------------------------- */

/* A file, and what became of it. */
struct hand_in {
    const char *file;
    char *text;
    struct grade_text part;
    char student[256]; /* whose it is: whose numbers it has, or else the file's name says it */
    const struct exercise *exercise; /* NULL: error says why */
    struct grade_marks marks;        /* valid where error is "" */
    struct error error;              /* why there is nothing to grade, or "" */
    bool trouble; /* error is this machine's or the exercise's fault, not the file's */
    double seconds;
    int like;     /* the one of the others that it is most like, or -1 */
    int likeness; /* in percent */
};
/* Grades them all, on all processors. hand_in[count].file are set. false: *error says why nothing could be
 * graded. class_free in any case. */
bool class_check(struct grader *grader, struct hand_in *hand_in, int count, struct error *error);
void class_free(struct hand_in *hand_in, int count);
/* Whether it was compiled and run. */
bool hand_in_marked(const struct hand_in *hand_in);
/* The points that finding i brings; how many are met. */
int hand_in_points(const struct hand_in *hand_in, int i);
int hand_in_met(const struct hand_in *hand_in);
/* Why a finding is not met. */
const char *finding_why(const struct grade_finding *finding);

/* ---- failing.c: the case in which a student's kernel fails ----------------------------------- */

/* Shows it in the window, until that is closed. */
bool hand_in_show(const struct hand_in *hand_in, struct error *error);
/* Writes a page of HTML: marks, reasons, and the picture of the failing round. */
bool hand_in_page(const struct hand_in *hand_in, FILE *file);

#endif
