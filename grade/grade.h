/* grade.h - marks for exercises: a student's part in CUDA is compiled, run on the machine, and what the
 * machine saw is judged. The tour of this folder.
 *
 *     table   --table.c---> goals, tries, parameters, arrays
 *     hand-in --split.c---> the student's part --run.c--> kernelc, machine --judge.c--> findings
 *                                                                  |   grade.c: tries, marks
 *                                                                  +--record.c, recording.c--> a trace
 *
 * An exercise is three texts: the table (table.c says what is in it), the kernel that calls the student's part, with
 * the part as it is handed out, and what grades it: a kernel `reference`, which writes what must come out, and, if
 * numbers at random will not do, a kernel `prepare`, which writes the inputs (its `seed` is 1 to 3 in the table's
 * tries). Both have the exercise's launch and find arrays and parameters by their names. Of a hand-in only the part
 * is taken.
 * Nothing of a student's or a teacher's is native code; all of it runs on the machine. So marks need no box, and
 * the same seed gives the same marks.
 *
 * Nothing here opens a file, prints or ends the program. Memory comes from the caller's allocator. What is this
 * machine's fault or the exercise's (*trouble) is never a mark.
 */
#ifndef BANKSCOPE_GRADE_GRADE_H
#define BANKSCOPE_GRADE_GRADE_H

#include "base/allocator.h"
#include "base/error.h"
#include "instrument/instrument.h"

#include <stddef.h>
#include <stdint.h>

enum {
    GRADE_PARAMETERS = 8,
    GRADE_GOALS = 8,
    GRADE_FINDINGS = 3 + 2 * GRADE_GOALS,
    GRADE_HINTS = 3,
    GRADE_MESSAGES = 20,
    GRADE_PART = 32 << 10, /* bytes of a part at most */
};

/* A text that stays the caller's. */
struct grade_text {
    const char *text;
    size_t length;
};

/* ---- split.c ----------------------------------------------------------------------------------- */

/* A source by its marks. */
struct grade_source {
    struct grade_text before, part;
    int first_line; /* of the part in the source, from 1 */
};
/* Takes the lines between "[your part begins]" and "[your part ends]". false: *error says what is wrong, or,
 * of a source for the host backend, how it is converted. */
bool grade_split(const struct grade_text *source, struct grade_source *split, struct error *error);

/* ---- grade.c ------------------------------------------------------------------------------------ */

/* The texts of an exercise; a null byte is behind each. */
struct grade_texts {
    struct grade_text table, exercise, grading;
};
struct grade_exercise;
/* Reads and tries the exercise: its part as handed out must give the right result. The texts must outlive it.
 * NULL: *error says what is wrong with them. */
struct grade_exercise *grade_exercise_new(const struct allocator *allocator,
                                          const struct grade_texts *texts, struct error *error);
void grade_exercise_free(struct grade_exercise *exercise);
const char *grade_summary(const struct grade_exercise *exercise);
/* The first is a question, the last almost the answer. NULL: there is no more. */
const char *grade_hint(const struct grade_exercise *exercise, int index);

/* Something that is asked. */
struct grade_finding {
    char what[120];   /* "stage write: no bank conflicts" */
    char why[600];    /* of the first run that missed it; "": it is met */
    const char *hint; /* what the exercise says to that, or NULL */
    bool measured;    /* a run got so far */
    int points;       /* 1: the part as handed out misses it */
};
struct grade_message {
    int line, column; /* of the hand-in, from 1; 0: of no place */
    char text[240];
};
/* A run of an exercise. */
struct grade_place {
    bool known;
    int value[GRADE_PARAMETERS]; /* of the parameters */
    uint64_t seed;               /* of its input */
    /* Number of the access to shared memory that missed something, from 1; 0: not known. */
    uint64_t access;
    int array,
        index; /* the first word of an output that is wrong; array -1: none is, or not known */
    uint32_t got;
};
struct grade_marks {
    bool compiled; /* else the messages say why not */
    int messages;
    struct grade_message message[GRADE_MESSAGES];
    int runs, findings;
    struct grade_finding finding[GRADE_FINDINGS];
    struct grade_place place; /* of the run that missed something first */
    int points, most;         /* none while something is missed that the part as handed out meets */
};
/* Whether finding i is met. */
bool grade_met(const struct grade_marks *marks, int i);

/* Marks the part of a hand-in. seed: of the tries beyond those of the table. false: *trouble says why there are
 * no marks: this machine or the exercise is at fault, or nothing was handed in that can be graded. */
bool grade_hand_in(const struct grade_exercise *exercise, const struct grade_text *source,
                   uint64_t seed, struct grade_marks *marks, struct error *trouble);

/* ---- record.c ----------------------------------------------------------------------------------- */

/* What a recording shows. */
struct grade_seen {
    char words[160]; /* "w=32 u=64 seed=1" */
    /* The place of what is missed; only stage, round, slot, block and warp are set. */
    struct warp_access at;
    char why[sizeof(struct error)]; /* the first fault, or "" */
};
/* Runs the part of a hand-in once more, in that place (not known: the table's first try), and records its accesses
 * to shared memory. false: *error says why there is nothing to see. Free the trace in any case. */
bool grade_record(const struct grade_exercise *exercise, const struct grade_text *source,
                  const struct grade_place *place, struct trace *trace, struct grade_seen *seen,
                  struct error *error);

#endif
