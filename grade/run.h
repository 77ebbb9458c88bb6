/* run.h - an exercise's kernels, compiled and run for one set of parameters. */
#ifndef BANKSCOPE_GRADE_RUN_H
#define BANKSCOPE_GRADE_RUN_H

#include "grade/table.h"
#include "kernelc/kernelc.h"
#include "machine/machine.h"

/* What the parts of an exercise are called in messages and sites. */
#define GRADE_EXERCISE_FILE "exercise.cu"
#define GRADE_PART_FILE "part.cu"

enum {
    GRADE_INSTRUCTIONS = 4000000, /* of warps, in one run */
    GRADE_ALL = 16000000,         /* in all runs of a hand-in */
    GRADE_MEMORY = 256 << 20,     /* bytes, of one hand-in */
    GRADE_LOCAL = 16 << 10,       /* bytes of a thread's own arrays */
    GRADE_NUMBERS = GRADE_PARAMETERS + 1,
};

/* ---- compiling */

/* An exercise's text, with a part behind it or without (NULL). */
bool grade_compile(const struct allocator *allocator, const struct grade_text *text,
                   const struct grade_text *part, struct kernelc_result *compiled);
/* The part with as many empty lines before it as the hand-in has lines: then its places are those of the hand-in.
 * Behind its length is a null byte: free length + 1 bytes. NULL: no memory. */
char *grade_placed(const struct allocator *allocator, const struct grade_source *source,
                   size_t *length);

/* ---- running */

/* Memory up to a limit, and which of two reasons it was refused for. */
struct grade_memory {
    const struct allocator *from;
    size_t used, most;
    bool refused; /* by this machine, not by the limit */
};
struct allocator grade_allocator(struct grade_memory *memory);

/* The numbers of a run: parameters and seed. */
struct grade_case {
    const struct grade_table *table;
    int value[GRADE_PARAMETERS];
    uint64_t seed;
};
/* "w=32 u=64 seed=1" */
void grade_case_show(const struct grade_case *of, char *text, size_t room);
/* Whether these parameters are asked for, and there is a launch, and arrays, of the sizes that they give. */
bool grade_case_fits(const struct grade_case *of);
/* Lanes of a warp. */
int grade_case_warp(const struct grade_case *of);

/* The exercise's arrays. Words of arrays that are outputs may be undefined: not written yet. */
struct grade_words {
    uint32_t *word[GRADE_ARRAYS];
    int count[GRADE_ARRAYS];
    const struct allocator *allocator;
};
/* Makes the arrays of a case, whose parameters fit. Free them in any case. */
bool grade_words_new(const struct grade_case *of, const struct allocator *allocator,
                     struct grade_words *words, struct error *error);
void grade_words_free(struct grade_words *words);
/* Copies the inputs, or the choices, from other arrays of the same case. */
void grade_words_copy(const struct grade_table *table, struct grade_words *words,
                      const struct grade_words *from, bool choices);
/* Where the machine has an array of the exercise. */
uint64_t grade_address(int array);
/* Fills all inputs (or outputs) with random words. */
void grade_words_random(const struct grade_table *table, struct grade_words *words, bool outputs,
                        uint64_t seed);

/* How a launch ended. */
struct grade_outcome {
    bool began;                     /* else why says what is wrong with it */
    bool good;                      /* it came to its end */
    bool endless;                   /* it met the limit of instructions */
    uint64_t instructions;          /* of warps, with what the machine charges */
    char why[sizeof(struct error)]; /* of the first fault, or "" */
};

/* Callbacks for a run; each may be NULL. `begin` gets the kernel before it runs, and `end` is called after the run. */
struct grade_watch {
    const struct machine_observer *observer;
    bool (*begin)(void *context, struct machine_module *module, struct machine_kernel *kernel);
    void (*end)(void *context, const struct machine_launch *launch);
    void *context;
    bool values;    /* are told with accesses */
    bool check;     /* for races and the like */
    bool teachers;  /* the kernel is the teacher's: it may write inputs, and read choices */
    uint64_t limit; /* instructions of warps */
};
/* Runs a kernel in a fresh module, with the table's launch. */
void grade_run(const struct grade_case *of, const struct kernelc_result *code, const char *kernel,
               struct grade_words *words, const struct allocator *allocator,
               const struct grade_watch *watch, struct grade_outcome *outcome);

/* Runs `prepare` or `reference`, of the exercise's grading source. false: *error says what is wrong with it. */
bool grade_run_teachers(const struct grade_case *of, const struct kernelc_result *grading,
                        const char *kernel, struct grade_words *words,
                        const struct allocator *allocator, struct error *error);
/* Inputs as the case has them, and outputs at random. */
bool grade_words_prepare(const struct grade_case *of, const struct kernelc_result *grading,
                         struct grade_words *words, const struct allocator *allocator,
                         struct error *error);

/* Keeps the first fault of a run in outcome->why, with its line if that is the part's. For an observer. */
void grade_tell_fault(struct grade_outcome *outcome, const struct machine_module *module,
                      const struct machine_fault *fault);

/* Copies a text in which arrays are called as in the source, and their elements told: "byte 128 of s" is "s[32]", and where
 * the text goes on to say how large s is, "s[32], byte 128 of s". */
void grade_name_arrays(const struct kernelc_result *code, const char *text, char *to, size_t room);

/* splitmix64 */
uint64_t grade_random(uint64_t *state);

#endif
