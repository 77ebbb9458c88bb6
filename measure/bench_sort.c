/* bench_sort.c - this sort beside the library's. */
#include "measure/bench.h"
#ifdef HAVE_CUDA
#include "kernels/catalogue.h"
#include "kernels/sort.h"
#include "sort/bench.h"
#endif

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CUDA
/* The library's sort of 4-byte keys, which the inputs worst and hardest are made for: so many keys of
 * a thread, threads of a block. */
enum { LIBRARY_E = 17, LIBRARY_THREADS = 256, LIBRARY_TILE = LIBRARY_E * LIBRARY_THREADS };

/* What is sorted: powers of two, and 17 x 2^20, which worst and hardest are made for. */
static const struct sort_case {
    enum sort_type type;
    size_t value_bytes;
    const char *input;
    size_t n;
} SORTED[] = {
    {SORT_INT32, 0, "random", 1u << 20},        {SORT_INT32, 0, "random", 1u << 22},
    {SORT_INT32, 0, "random", 1u << 24},        {SORT_INT32, 0, "random", 1u << 26},
    {SORT_INT32, 0, "random", 1u << 28},        {SORT_INT32, 0, "sorted", 1u << 26},
    {SORT_INT32, 0, "reverse", 1u << 26},       {SORT_INT32, 0, "duplicates", 1u << 26},
    {SORT_INT32, 0, "random", 17u << 20},       {SORT_INT32, 0, "worst", 17u << 20},
    {SORT_INT32, 0, "hardest", 17u << 20},      {SORT_INT64, 0, "random", 1u << 20},
    {SORT_INT64, 0, "random", 1u << 22},        {SORT_INT64, 0, "random", 1u << 24},
    {SORT_INT64, 0, "random", 1u << 26},        {SORT_INT64, 0, "sorted", 1u << 26},
    {SORT_INT64, 0, "duplicates", 1u << 26},    {SORT_INT32, 4, "random", 1u << 20},
    {SORT_INT32, 4, "random", 1u << 22},        {SORT_INT32, 4, "random", 1u << 24},
    {SORT_INT32, 4, "random", 1u << 26},        {SORT_INT32, 4, "duplicates", 1u << 26},
    {SORT_INT32, 4, "random", 1u << 23},        {SORT_INT32, 4, "random", 1u << 28},
    {SORT_INT32, 4, "sorted", 1u << 20},        {SORT_INT32, 4, "sorted", 1u << 26},
    {SORT_INT32, 4, "reverse", 1u << 26},       {SORT_INT32, 4, "duplicates=16", 1u << 26},
    {SORT_INT64, 0, "duplicates=16", 1u << 26}, {SORT_INT32, 0, "duplicates=16", 1u << 26},
    {SORT_INT64, 8, "random", 1u << 26},        {SORT_INT64, 4, "random", 1u << 26},
    {SORT_INT32, 8, "random", 1u << 26},        {SORT_INT32, 8, "random", 1u << 16},
    {SORT_INT32, 8, "random", 1u << 18},        {SORT_INT32, 8, "random", 1u << 20},
    {SORT_INT32, 8, "random", 1u << 23},        {SORT_INT32, 8, "random", 1u << 28},
    {SORT_INT32, 8, "sorted", 1u << 26},        {SORT_INT32, 8, "duplicates=16", 1u << 26},
};
enum { SORTED_COUNT = sizeof SORTED / sizeof SORTED[0] };

/* The keys of a case, to be freed. Keys of 8 bytes are two numbers each. */
static int *sort_case_keys(const struct sort_case *c, struct error *error)
{
    struct recipe recipe;
    char text[64];
    const size_t words = c->n * (c->type == SORT_INT64 ? 2 : 1);
    const size_t tiles = (words + LIBRARY_TILE - 1) / LIBRARY_TILE;
    const struct sort_params sort = {32, LIBRARY_THREADS, LIBRARY_E, (int)words};
    int *keys = NULL;
    snprintf(text, sizeof text, "thrust-sort --input %s", c->input);
    if (recipe_parse(&recipe, text, error)) {
        keys = malloc(tiles * LIBRARY_TILE * sizeof *keys);
        if (!keys)
            error_set(error, "no memory for %zu keys", c->n);
        else if (recipe.input.kind == INPUT_RANDOM) /* all bits: a radix sort takes time by bits */
            for (size_t i = 0; i < words; i++)
                keys[i] = (int)(random_next(&recipe.input.seed) >> 32);
        else if (!sort_input(&sort, ORDER_LIBRARY, &recipe.input, keys, error)) {
            free(keys);
            keys = NULL;
        }
    }
    recipe_free(&recipe);
    if (keys && c->type == SORT_INT64 && strcmp(c->input, "random"))
        for (size_t i = c->n;
             i-- > 0;) { /* the number is the high half: the order is the input's */
            keys[2 * i + 1] = keys[i];
            keys[2 * i] = 0;
        }
    return keys;
}

bool bench_sort(const struct bench_output *output, struct error *error)
{
    for (int i = 0; i < SORTED_COUNT; i++) {
        const struct sort_case *c = &SORTED[i];
        struct sort_times times;
        char what[64];
        int *keys = sort_case_keys(c, error);
        if (!keys)
            return false;
        const char *failure = sort_bench(c->type, c->value_bytes, keys, c->n, &times);
        free(keys);
        if (failure)
            return error_set(error, "bench sort: %s", failure);
        snprintf(what, sizeof what, "%s%s %s n=%zu", c->type == SORT_INT64 ? "int64" : "int32",
                 c->value_bytes == 8   ? "+int64"
                 : c->value_bytes == 4 ? "+int32"
                                       : "",
                 c->input, c->n);
        bench_print(output, "sort", what, "this sort, median of 9",
                    (double)c->n / times.sort.median, "items/us");
        bench_print(output, "sort", what, "cub merge sort", (double)c->n / times.merge.median,
                    "items/us");
        bench_print(output, "sort", what, "cub radix sort", (double)c->n / times.radix.median,
                    "items/us");
        bench_print(output, "sort", what, "over cub merge sort",
                    times.merge.median / times.sort.median, "times");
        bench_print(output, "sort", what, "over cub radix sort",
                    times.radix.median / times.sort.median, "times");
        bench_print(output, "sort", what, "copies of the data in that time",
                    times.sort.median / times.copy.median, "copies");
    }
    return true;
}

bool bench_three_sorts(const char *input, size_t n, struct run_times times[3], struct error *error)
{
    const struct sort_case sorted = {SORT_INT32, 0, input, n};
    struct sort_times measured;
    int *keys = sort_case_keys(&sorted, error);
    const char *failure = keys ? sort_bench(sorted.type, 0, keys, n, &measured) : NULL;
    free(keys);
    if (!keys || failure)
        return failure ? error_set(error, "sorting %zu keys, input %s: %s", n, input, failure)
                       : false;
    const struct sort_time *const of[] = {&measured.sort, &measured.merge, &measured.radix};
    for (int i = 0; i < 3; i++)
        times[i] =
            (struct run_times){of[i]->least * 1e-6, of[i]->median * 1e-6, of[i]->most * 1e-6};
    return true;
}
#else
bool bench_three_sorts(const char *input, size_t n, struct run_times times[3], struct error *error)
{
    (void)input, (void)n, (void)times;
    return error_set(error, "bench sort: built without CUDA; 'make CUDA=yes' builds it");
}

bool bench_sort(const struct bench_output *output, struct error *error)
{
    (void)output;
    return error_set(error, "bench sort: built without CUDA; 'make CUDA=yes' builds it");
}
#endif
