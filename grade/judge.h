/* judge.h - what the machine saw of one run, held against the goals. */
#ifndef BANKSCOPE_GRADE_JUDGE_H
#define BANKSCOPE_GRADE_JUDGE_H

#include "grade/run.h"

/* What the findings are, in their order. */
enum { FINDING_RESULT, FINDING_TOUCH, FINDING_GOALS };

struct judge {
    const struct grade_case *of;
    struct grade_marks *marks;
    const struct allocator *allocator;
    struct grade_outcome *outcome;
    uint64_t limit; /* of instructions of warps */

    /* The run: */
    struct trace_header header; /* only banks, bank_bytes and warp */
    struct machine_module *module;
    struct machine_kernel *kernel;
    bool *own; /* of each access: the part makes it */
    int accesses;
    struct {
        uint64_t accesses, instructions;
        uint32_t *made; /* instructions of each warp of each block */
    } goal[GRADE_GOALS];
    uint64_t shared;        /* accesses to shared memory so far */
    uint64_t looking;       /* at the access of that number; 0: at the run as a whole */
    uint32_t phases;        /* the most barriers that a block met at */
    uint32_t blocks, warps; /* of a block */

    /* For a run in which words of shared memory are altered when they are first read after they were stored: */
    bool alters;
    uint8_t *state;   /* of each word of each block */
    uint32_t words;   /* of a block */
    uint64_t altered; /* words */
};

/* What becomes of a word that is altered; never the word itself. */
uint32_t judge_altered_word(const struct grade_case *of, uint32_t word);

/* Begins a run. alters: this one alters shared memory, and no goal is judged; but where the result is what was moved
 * through it, nothing else may depend on the words, and a part that notices must still meet the goals. */
void judge_begin(struct judge *judge, const struct grade_case *of, bool alters, uint64_t limit);
/* The callbacks through which the judge sees a run; they are valid as long as the judge is. */
struct grade_watch judge_watch(struct judge *judge, struct machine_observer *observer);
/* To be called after the run: notes the goals that it missed. */
void judge_end(struct judge *judge);
void judge_free(struct judge *judge);

/* The findings that a table asks for; the last one is that the result follows shared memory, if it is asked. */
void judge_findings(const struct grade_table *table, struct grade_marks *marks);
/* Notes why a finding is missed, if that is the first time. */
void judge_miss(struct judge *judge, int finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
