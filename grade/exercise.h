/* exercise.h - what an exercise was read to. */
#ifndef BANKSCOPE_GRADE_EXERCISE_H
#define BANKSCOPE_GRADE_EXERCISE_H

#include "grade/run.h"

struct grade_exercise {
    const struct allocator *allocator;
    struct grade_texts texts;
    struct grade_source source;
    struct grade_table table;
    struct kernelc_result grading; /* compiled */
    bool given_met[GRADE_FINDINGS];
};

/* The first word of an output that is wrong. */
struct grade_wrong {
    int array, index; /* array -1: none is */
    uint32_t got;
};
/* A run to be recorded of a part that is compiled. */
struct grade_take {
    const struct grade_exercise *exercise;
    const struct allocator *allocator;
    const struct kernelc_result *compiled;
    const char *part; /* its text, as grade_placed made it */
    struct grade_case of;
    uint64_t access; /* whose place is wanted, as grade_place has it */
    struct grade_wrong wrong;
};
/* record.c: records it, and says in `from` where the wrong word came from: "lane 0 of warp 0 read word 1 in bank 1,
 * which thread 1 wrote in stage write, round 3", or "" if that is not known. false: *error says why there is
 * nothing to see. Free the trace in any case. */
bool grade_take(const struct grade_take *take, struct trace *trace, struct grade_seen *seen,
                char *from, size_t room, struct error *error);

#endif
