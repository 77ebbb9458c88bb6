/* bench.h - how fast things are on the GPU at hand.
 *
 * A result is a line on standard output, and one in the file of results if there is one:
 *     traced   cf-merge u=512 E=15 blocks=2112   bare kernel, median of 21   123.4   us
 */
#ifndef BANKSCOPE_BENCH_H
#define BANKSCOPE_BENCH_H

#include "measure/times.h"
#include "system/output.h"

#include <regex.h>

/* Where results go: standard output, and a file or NULL. */
struct bench_output {
    struct output output;
    FILE *file;
};
/* Opens the file of results and writes where they come from; the command line is argv. */
bool bench_begin(struct bench_output *output, const char *path, int argc, char **argv,
                 struct error *error);
/* Prints one result: "sort", "int32 random n=4194304", "over cub merge sort", 1.9, "times". */
void bench_print(const struct bench_output *output, const char *bench, const char *what,
                 const char *figure, double value, const char *unit);

/* The benches; ends with one without a name. */
extern const struct bench {
    const char *name;
    bool (*run)(const struct bench_output *output, struct error *error);
} benches[];
/* All names that may be asked for, NULL-terminated: benches, "times", figures with running times. */
enum { BENCH_NAMES = 64 };
void bench_list_names(const char *names[BENCH_NAMES]);

/* Times the points of the figures among `names` (NULL-terminated; "times": all figures), smaller points first.
 * match (or NULL) chooses points by their key; no point is begun after `limit` seconds (0: no limit). fail is
 * called for each point that fails; the others are still timed, unless it is the first one. false: something
 * failed. */
bool bench_figures(const struct bench_output *output, char *const *names, const regex_t *match,
                   int64_t limit, void (*fail)(const struct error *error));

/* ---- bench_sort.c ------------------------------------------------------------------------------ */

/* The bench "sort". */
bool bench_sort(const struct bench_output *output, struct error *error);
/* Times this sort, the library's merge sort and its radix sort, in this order, on n keys of 4 bytes of that
 * input. */
bool bench_three_sorts(const char *input, size_t n, struct run_times times[3], struct error *error);

#endif
