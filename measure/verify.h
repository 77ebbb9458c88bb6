/* verify.h - the bank model against the hardware's counters.
 *
 * A case is a kernel with parameters and an input. The host backend's trace and the bank model predict what
 * the bare kernel costs: shared-memory instructions, passes and conflicts, for loads and for stores. The
 * counts come from a profiler that runs this program again (verify --bare), or from a file that an earlier
 * run wrote (verify --against), which needs no GPU.
 */
#ifndef BANKSCOPE_VERIFY_H
#define BANKSCOPE_VERIFY_H

#include "kernels/catalogue.h"

/* For loads, then for stores: instructions; passes by instruction; conflicts; passes. The last two
 * also count passes lost to other traffic through the same data path (arbitration), which vary from
 * run to run; the difference of the two counts of passes says how many. For 8-byte loads by part of a
 * warp the first count of passes is sometimes higher than the number that went through the path; the
 * second is right then (doc/gpu.md). */
enum { VERIFY_COUNTS_OF_OP = 4, VERIFY_COUNTS = 2 * VERIFY_COUNTS_OF_OP };

/* The last of each four is only counted, never predicted. */
struct verify_counts {
    uint64_t of[VERIFY_COUNTS];
};

/* A case, and what became of it. A case that is run several times is in the list as often, in a row. */
struct verify_case {
    char kernel[32], params[160], input[32];
    struct verify_counts predicted, counted;
};
/* Begins as {0}; free(list.item) afterwards. */
struct verify_list {
    struct verify_case *item;
    size_t count, room;
};

/* Which cases the command line asks for. */
struct verify_choice {
    char *const *kernels; /* names in the catalogue; */
    int count;            /* 0: all kernels */
    int64_t random;       /* sets of parameters to draw for each kernel; 0: the table of cases */
    uint64_t seed;        /* of the draw */
};

/* ---- verify_cases.c ---------------------------------------------------------------------------- */

/* Adds the cases that are chosen. A kernel without a line in the table runs with its defaults. */
bool verify_choose(struct verify_list *list, const struct verify_choice *choice,
                   struct error *error);
bool verify_add(struct verify_list *list, const struct verify_case *item, struct error *error);
/* Whether the kernel is among those chosen. */
bool verify_is_chosen(const struct verify_choice *choice, const char *kernel);
/* The recipe of a case; recipe_free(recipe) afterwards, also after a failure. */
bool verify_recipe(const struct verify_case *item, struct recipe *recipe, struct error *error);

/* ---- verify_counters.c ------------------------------------------------------------------------- */

/* Runs every case `times` times on the GPU, for a profiler. */
bool verify_run_bare(const struct verify_list *list, int times, struct error *error);
/* Counts every case `times` times, by starting this program under the profiler; the list becomes that much
 * longer. */
bool verify_count(struct verify_list *list, const struct verify_choice *choice, int times,
                  struct error *error);
/* Writes the counts, with the command line; reads those of the chosen kernels from such a file. */
bool verify_write(const char *path, const struct verify_list *list, int argc, char **argv,
                  struct error *error);
bool verify_read(const char *path, struct verify_list *list, const struct verify_choice *choice,
                 struct error *error);

/* ---- verify_table.c ---------------------------------------------------------------------------- */

/* Predicts every case and prints the table on standard output; *differ is the number of cases whose counts are
 * not as predicted. */
bool verify_print(struct verify_list *list, size_t *differ, struct error *error);

#endif
