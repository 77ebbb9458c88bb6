/* catalogue.c - the list of all kernels, one line each. */
#include "kernels/catalogue.h"

#include <stdlib.h>
#include <string.h>

#define CATALOGUE(X)                                                                               \
    X(stride)                                                                                      \
    X(puzzle)                                                                                      \
    X(broadcast)                                                                                   \
    X(wide)                                                                                        \
    X(transpose)                                                                                   \
    X(reduce)                                                                                      \
    X(thrust_merge)                                                                                \
    X(dual_scan)                                                                                   \
    X(cf_merge)                                                                                    \
    X(cf_split)                                                                                    \
    X(thrust_sort)                                                                                 \
    X(cf_sort)                                                                                     \
    X(cf_sort4)                                                                                    \
    X(distribute)                                                                                  \
    X(search_pbs)                                                                                  \
    X(search_pbs_cf)                                                                               \
    X(search_pbs_cl)                                                                               \
    X(odd_even_sort)                                                                               \
    X(batcher_sort)                                                                                \
    X(shear_sort)                                                                                  \
    X(bcf_merge)                                                                                   \
    X(bcf_sort)                                                                                    \
    X(warp_sort)                                                                                   \
    X(colored_scan)                                                                                \
    X(colored_sums)                                                                                \
    X(matmul)                                                                                      \
    X(stencil)                                                                                     \
    X(histogram)

#define DECLARE(id) extern const struct kernel kernel_##id;
CATALOGUE(DECLARE)
#define REFER(id) &kernel_##id,
const struct kernel *const catalogue[] = {CATALOGUE(REFER) NULL};

const struct kernel *catalogue_find(const char *name, struct error *error)
{
    const char *names[sizeof catalogue / sizeof catalogue[0]] = {NULL};
    for (int i = 0; catalogue[i]; i++) {
        if (!strcmp(catalogue[i]->name, name))
            return catalogue[i];
        names[i] = catalogue[i]->name;
    }
    error_unknown(error, "there is no kernel", name, names, "'bankscope list' shows them all");
    return NULL;
}

const struct paper papers[] = {
    {"cfmerge", "Berney and Sitchinava, Eliminating Bank Conflicts in GPU Mergesort, SPAA 2025"},
    {"worstcase", "Berney and Sitchinava, Engineering Worst-Case Inputs for Pairwise Merge Sort on "
                  "GPUs, IPDPS 2020"},
    {"predecessor",
     "Karsin, Casanova and Sitchinava, Efficient Batched Predecessor Search in Shared "
     "Memory on GPUs, HiPC 2015"},
    {"bcfsort", "Sitchinava and Weichert, Bank Conflict Free Comparison-based Sorting On GPUs"},
    {"puzzle", "Modular, GPU Puzzles, Puzzle 32: Bank Conflicts"},
    {NULL, NULL},
};

bool catalogue_sound(const struct kernel *kernel, struct error *error)
{
    size_t ints = kernel->size / sizeof(int), count = 0;
    bool *named = memory_new(ints, sizeof *named);
    bool good = true;
    for (const struct kernel_param *param = kernel->params; good && param->name; param++, count++) {
        good = !named[param->offset / sizeof(int)] ||
               error_set(error, "%s: two parameters for %s", kernel->name, param->name);
        named[param->offset / sizeof(int)] = true;
    }
    if (good && kernel->launches) {
        good = !named[kernel->launch / sizeof(int)] ||
               error_set(error, "%s: its ENTRY has .launches but no .launch", kernel->name);
        count++;
    }
    free(named);
    return good && (count == ints ||
                    error_set(error, "%s: its struct has %zu members, of which %zu are parameters",
                              kernel->name, ints, count));
}
