/* table.h - what an exercise asks, as its table says it. */
#ifndef BANKSCOPE_GRADE_TABLE_H
#define BANKSCOPE_GRADE_TABLE_H

#include "grade/grade.h"

enum {
    GRADE_ARRAYS = 4,
    GRADE_WHERES = 4,
    GRADE_STAGES = 8,
    GRADE_TRIES = 16,
    GRADE_INPUTS = 3,
    GRADE_SLIPS = 16,
    GRADE_WORDS = 1 << 22, /* of an array at most */
};

struct grade_parameter {
    char name[16];
    int value, lowest, highest;
};

/* A sum of products of numbers, parameters and powers: "u * E + 5 * 2^rounds". */
struct grade_size {
    int products, factors[4];
    struct grade_factor {
        int parameter; /* -1: it is the number */
        int number;
        bool power; /* it is number ^ parameter */
    } factor[4][5];
};

struct grade_array {
    char name[32];
    bool is_output, is_choice; /* a choice is an output, too */
    struct grade_size words;
};

/* What parameters must keep to: left <= right, or left divides right. */
struct grade_where {
    struct grade_size left, right;
    bool divides;
};

/* Which accesses to shared memory a goal is about: those of a stage, or all that read, or all that write. */
enum grade_of { GRADE_OF_STAGE, GRADE_OF_LOADS, GRADE_OF_STORES };
struct grade_goal {
    enum grade_of of;
    int stage;
    int accesses;  /* of every thread, at least; each warp makes them in as many instructions, */
    int most;      /* or in so many, if that is more */
    int times;     /* a parameter by which to multiply both, or -1 */
    int conflicts; /* of one warp access, at most; not asked if `ways` is set */
    int ways;      /* where conflicts are the aim: a parameter, and */
    int more; /* so many more are the ways that each warp access has at least; ways -1: not asked */
};

/* What is said to a goal that is missed if that sign appears in the reason or in the goal. */
struct grade_slip {
    char sign[32], hint[400];
};

/* What the part itself may touch. */
enum grade_touch { GRADE_TOUCH_NONE, GRADE_TOUCH_SHARED, GRADE_TOUCH_ALL };
/* How the result depends on shared memory: not asked; some word of it does; each word of shared memory that is
 * read decides one of it; each word of the result was read there. */
enum grade_follow { GRADE_FOLLOW_NOT, GRADE_FOLLOW_SOME, GRADE_FOLLOW_EACH, GRADE_FOLLOW_MOVED };

struct grade_table {
    char summary[200], kernel[64];
    int parameters;
    struct grade_parameter parameter[GRADE_PARAMETERS];
    int wheres;
    struct grade_where where[GRADE_WHERES];
    int arrays;
    struct grade_array array[GRADE_ARRAYS];
    struct grade_size grid, block, shared; /* shared: bytes that the launch says */
    int stages;
    char stage[GRADE_STAGES][32]; /* what the intervals between the block's barriers are called */
    int goals;
    struct grade_goal goal[GRADE_GOALS];
    int tries, inputs; /* inputs: of each try */
    int try_value[GRADE_TRIES][GRADE_PARAMETERS];
    int slips;
    struct grade_slip slip[GRADE_SLIPS];
    int hints;
    char hint[GRADE_HINTS][400];
    enum grade_touch touch;
    enum grade_follow follow;
};

/* false: *error says what is wrong in which line. Takes any text. */
bool grade_table_read(const struct grade_text *text, struct grade_table *table,
                      struct error *error);
/* The index of a parameter, or -1. */
int grade_parameter(const struct grade_table *table, const char *name);
/* The size for these parameters, or -1: it is negative or over GRADE_WORDS. */
int grade_size(const struct grade_size *size, const int *value);
/* Whether these parameters keep to what the table's lines `where` say. */
bool grade_where(const struct grade_table *table, const int *value);

#endif
