/* bench_figures.c - running times for the papers' figures. */
#include "measure/bench.h"
#include "kernels/catalogue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct run_options TIMED_BARE = {.backend = BACKEND_BARE, .repeat = 9};

/* What has been timed: no point twice, and one run of the three sorts serves several curves. */
struct figure_times {
    const regex_t *match; /* NULL: all points */
    char (*key)[TIMES_KEY];
    size_t count, room;
    char sorted[TIMES_KEY];      /* input and size of the last such run */
    struct run_times of_sort[3]; /* in the order of SORTS */
};
static const char *const SORTS[] = {TIMES_SORT, TIMES_LIBRARY_MERGE, TIMES_LIBRARY_RADIX};

/* Sorts the input of `key` ("sort --input worst n=1114112") in three ways. */
static bool time_sorts(struct figure_times *done, const char *key, struct error *error)
{
    const char *option = strstr(key, "--input "), *n = strstr(key, "n=");
    char input[32] = "random";
    if (option)
        snprintf(input, sizeof input, "%.*s", (int)strcspn(option + 8, " "), option + 8);
    if (!bench_three_sorts(input, strtoul(n + 2, NULL, 10), done->of_sort, error))
        return false;
    snprintf(done->sorted, sizeof done->sorted, "%s", strchr(key, ' '));
    return true;
}

static bool time_copy(size_t bytes, struct run_times *copy, struct error *error)
{
#ifdef HAVE_CUDA
    return cuda_time_copy(bytes, TIMED_BARE.repeat, copy, error);
#else
    (void)bytes, (void)copy;
    return error_set(error, "copy: built without CUDA; 'make CUDA=yes' builds it");
#endif
}

static void print_times(const struct bench_output *output, const char *key, bool last_launch,
                        const struct run_times *times)
{
    static const char *const figure[][2] = {{"median of 9", "last launch, median of 9"},
                                            {"least of 9", "last launch, least of 9"},
                                            {"most of 9", "last launch, most of 9"}};
    const double seconds[] = {times->median, times->least, times->most};
    for (int i = 0; i < 3; i++)
        bench_print(output, "time", key, figure[i][last_launch], seconds[i] * 1e6, "us");
}

static bool time_recipe(const struct bench_output *output, const char *key, struct error *error)
{
    struct recipe recipe;
    struct run_result result;
    bool good =
        recipe_parse(&recipe, key, error) && recipe_run(&recipe, &TIMED_BARE, NULL, &result, error);
    if (good && !result.constants)
        good = error_set(error, "%s: the kernel is not compiled for these parameters (BARE)", key);
    if (good) {
        print_times(output, key, false, &result.kernel);
        if (recipe_launches(&recipe) > 1)
            print_times(output, key, true, &result.last);
    }
    recipe_free(&recipe);
    return good;
}

static bool time_point(const struct bench_output *output, struct figure_times *done,
                       const struct timed_chart *chart, const struct timed_curve *curve, int point,
                       struct error *error)
{
    char key[TIMES_KEY];
    struct run_times copy = {0};
    timed_key(chart, curve, point, key);
    if (done->match && regexec(done->match, key, 0, NULL, 0))
        return true;
    for (size_t i = 0; i < done->count; i++)
        if (!strcmp(done->key[i], key))
            return true;
    if (!memory_grow(&done->key, &done->room, done->count + 1, sizeof *done->key, "keys", error))
        return false;
    memcpy(done->key[done->count++], key, sizeof key);
    const size_t word = strcspn(key, " ");
    for (int i = 0; i < 3; i++) {
        if (strncmp(SORTS[i], key, word) || SORTS[i][word])
            continue;
        if (strcmp(done->sorted, key + word) && !time_sorts(done, key, error))
            return false;
        return print_times(output, key, false, &done->of_sort[i]), true;
    }
    if (strncmp(TIMES_COPY " ", key, word + 1))
        return time_recipe(output, key, error);
    if (!time_copy((size_t)chart->words * sizeof(int), &copy, error))
        return false;
    return print_times(output, key, false, &copy), true;
}

/* Whether the names ask for a chart. */
static bool chart_wanted(const struct timed_chart *chart, char *const *names)
{
    for (; *names; names++)
        if (!strcmp(*names, "times") || !strcmp(*names, chart->figure))
            return true;
    return false;
}

bool bench_figures(const struct bench_output *output, char *const *names, const regex_t *match,
                   int64_t limit, void (*fail)(const struct error *error))
{
    const time_t start = time(NULL);
    struct figure_times done = {.match = match};
    bool good = true;
    for (int point = 0; point < TIMED_POINTS; point++)
        for (const struct timed_chart *chart = timed_charts; chart->figure; chart++)
            for (int c = 0; chart_wanted(chart, names) && point < timed_points(chart) &&
                            c < timed_curves(chart);
                 c++) {
                struct error error = {{0}};
                if (limit && time(NULL) - start >= limit)
                    goto out;
                if (time_point(output, &done, chart, &chart->curve[c], point, &error))
                    continue;
                fail(&error);
                good = false;
                if (done.count == 1)
                    goto out;
            }
out:
    if (match && good && !done.count && !(limit && time(NULL) - start >= limit)) {
        struct error error = {{0}};
        error_set(&error, "--match chooses no point of these figures");
        fail(&error);
        good = false;
    }
    free(done.key);
    return good;
}
