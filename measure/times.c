/* times.c - see times.h. */
#include "measure/times.h"
#include "system/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is timed --------------------------------------------------------------------------- */

/* n / E: the papers take n = 2^i E from i = 16 on. */
#define THREADS 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22
#define SORTS_LABEL "n / E"
#define OF_17(name, with)                                                                          \
    {                                                                                              \
        .title = name, .recipe = with, .scale = 17                                                 \
    }
#define OF_15(name, with)                                                                          \
    {                                                                                              \
        .title = name, .recipe = with, .scale = 15                                                 \
    }
#define THRUST_15 "thrust-sort u=512 E=15 order=library"
#define THRUST_17 "thrust-sort u=256 E=17 order=library"
#define MODERN_15 "thrust-sort u=128 E=15 order=library"
#define CF_15 "cf-sort u=512 E=15"
#define CF_17 "cf-sort u=256 E=17"
#define WORST " --input worst"
#define HARDEST " --input hardest"

/* 32 queries for each of 256 x 1024 threads. */
#define QUERIES (1 << 23)
#define PBS_4 " u=1024 blocks=256 Q=8388608"
#define PBS_8 PBS_4 " key_bytes=8"
#define KEYS_FROM_32 32, 64, 128, 256, 512, 1024, 2048, 4096
#define PLAIN(name, with)                                                                          \
    {                                                                                              \
        .title = name, .recipe = with                                                              \
    }

/* 2^23 elements in 2112 blocks of a warp: 16 for each multiprocessor of an H100. */
#define COLORED "colored-sums n=8388608 blocks=2112 variant="
#define COLORS 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16

#define WARPSORT "warp-sort w=32 u=128 blocks=2112 t=128"
#define BCF "bcf-sort w=32 variant=diagonal blocks=512 pivots="
#define BCF_SIZES                                                                                  \
    1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 23, 1 << 24, 1 << 25,      \
        1 << 26
#define BCF_CURVES(input)                                                                          \
    {                                                                                              \
        PLAIN("BCFMergesort", BCF "off" input),                                                    \
            PLAIN("BCFMergesort, pivots apart", BCF "on" input),                                   \
            PLAIN("Thrust's sort", THRUST_15 input), PLAIN("Warpsort", WARPSORT input)             \
    }
#define BCF_CHARTS(name, of_unit, data_a, input_a, sizes_a, data_b, input_b, sizes_b)              \
    {.figure = name,                                                                               \
     .title = data_a,                                                                              \
     .param = "n",                                                                                 \
     .x_label = "keys",                                                                            \
     .unit = of_unit,                                                                              \
     .y_log = true,                                                                                \
     .x = {sizes_a},                                                                               \
     .curve = BCF_CURVES(input_a)},                                                                \
    {                                                                                              \
        .figure = name, .title = data_b, .param = "n", .x_label = "keys", .unit = of_unit,         \
        .y_log = true, .x = {sizes_b}, .curve = BCF_CURVES(input_b)                                \
    }
#define FEW_KEYS(name, of_unit)                                                                    \
    {                                                                                              \
        .figure = name, .title = "4,194,304 keys, each as often", .param = "--input duplicates",   \
        .x_label = "different keys", .unit = of_unit, .y_log = true, .words = 1 << 22,             \
        .x = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096},                               \
        .curve = BCF_CURVES(" n=4194304")                                                          \
    }

const struct timed_chart timed_charts[] = {
    {.figure = "cfmerge-5",
     .param = "n",
     .x_label = SORTS_LABEL,
     .unit = TIMES_RATE,
     .x = {THREADS},
     .curve = {OF_15("Thrust, E = 15", THRUST_15 WORST), OF_15("CF-Merge, E = 15", CF_15 WORST),
               OF_17("Thrust, E = 17", THRUST_17 WORST), OF_17("CF-Merge, E = 17", CF_17 WORST)}},
    {.figure = "cfmerge-6",
     .title = "E = 15, u = 512",
     .param = "n",
     .x_label = SORTS_LABEL,
     .unit = TIMES_RATE,
     .x = {THREADS},
     .curve = {OF_15("Thrust, random", THRUST_15), OF_15("Thrust, worst case", THRUST_15 WORST),
               OF_15("CF-Merge, random", CF_15), OF_15("CF-Merge, worst case", CF_15 WORST)}},
    {.figure = "cfmerge-6",
     .title = "E = 17, u = 256",
     .param = "n",
     .x_label = SORTS_LABEL,
     .unit = TIMES_RATE,
     .x = {THREADS},
     .curve = {OF_17("Thrust, random", THRUST_17), OF_17("Thrust, worst case", THRUST_17 WORST),
               OF_17("CF-Merge, random", CF_17), OF_17("CF-Merge, worst case", CF_17 WORST)}},
    {.figure = "worstcase-4",
     .param = "n",
     .x_label = SORTS_LABEL,
     .unit = TIMES_RATE,
     .x = {THREADS},
     .curve = {OF_15("u = 512, random", THRUST_15), OF_15("u = 512, worst case", THRUST_15 WORST),
               OF_15("u = 128, random", MODERN_15), OF_15("u = 128, worst case", MODERN_15 WORST)}},
    {.figure = "worstcase-5",
     .title = "Thrust's sort of the catalogue",
     .param = "n",
     .x_label = SORTS_LABEL,
     .unit = TIMES_RATE,
     .x = {THREADS},
     .curve = {OF_15("E = 15, random", THRUST_15), OF_15("E = 15, worst case", THRUST_15 WORST),
               OF_17("E = 17, random", THRUST_17), OF_17("E = 17, worst case", THRUST_17 WORST)}},
    {.figure = "worstcase-5",
     .title = "today's library (CCCL 3.0)",
     .param = "n",
     .x_label = SORTS_LABEL,
     .unit = TIMES_RATE,
     .x = {THREADS},
     .curve = {OF_17("library, E = 17, random", TIMES_LIBRARY_MERGE),
               OF_17("library, E = 17, worst case", TIMES_LIBRARY_MERGE WORST)}},
    {.figure = "worstcase-6",
     .title = "timed",
     .param = "n",
     .x_label = SORTS_LABEL,
     .unit = TIMES_PER_WORD,
     .x = {THREADS},
     .curve = {OF_15("E = 15, random", THRUST_15), OF_15("E = 15, worst case", THRUST_15 WORST),
               OF_17("E = 17, random", THRUST_17), OF_17("E = 17, worst case", THRUST_17 WORST)}},
    {.figure = "predecessor-7",
     .title = "timed",
     .param = "K",
     .x_label = "keys",
     .unit = TIMES_PER_QUERY,
     .words = QUERIES,
     .x = {KEYS_FROM_32, 8192},
     .curve = {PLAIN("worst case", "search-pbs" PBS_4 WORST),
               PLAIN("random queries", "search-pbs" PBS_4)}},
    {.figure = "predecessor-8",
     .title = "timed",
     .param = "K",
     .x_label = "keys",
     .unit = TIMES_PER_QUERY,
     .words = QUERIES,
     .x = {KEYS_FROM_32},
     .curve = {PLAIN("worst case", "search-pbs" PBS_8 WORST),
               PLAIN("random queries", "search-pbs" PBS_8)}},
    {.figure = "predecessor-9",
     .title = "timed",
     .param = "K",
     .x_label = "keys",
     .unit = TIMES_PER_QUERY,
     .words = QUERIES,
     .x = {KEYS_FROM_32},
     .curve = {PLAIN("worst case", "search-pbs-cl" PBS_8 WORST),
               PLAIN("random queries", "search-pbs-cl" PBS_8)}},
    {.figure = "predecessor-10",
     .param = "K",
     .x_label = "keys",
     .unit = TIMES_PER_QUERY,
     .words = QUERIES,
     .x = {KEYS_FROM_32, 8192},
     .curve = {PLAIN("PBS", "search-pbs" PBS_4), PLAIN("PBS-CF", "search-pbs-cf" PBS_4),
               PLAIN("PBS-CL", "search-pbs-cl" PBS_4)}},
    {.figure = "predecessor-11",
     .param = "K",
     .x_label = "keys",
     .unit = TIMES_PER_QUERY,
     .words = QUERIES,
     .x = {KEYS_FROM_32},
     .curve = {PLAIN("PBS", "search-pbs" PBS_8), PLAIN("PBS-CF", "search-pbs-cf" PBS_8),
               PLAIN("PBS-CL", "search-pbs-cl" PBS_8)}},
    /* What the queries and answers alone take. */
    {.figure = "predecessor-table-1",
     .param = "K",
     .x_label = "keys",
     .unit = TIMES_PER_QUERY,
     .words = QUERIES,
     .x = {4096},
     .curve = {PLAIN("PBS", "search-pbs" PBS_8), PLAIN("PBS-CF", "search-pbs-cf" PBS_8),
               PLAIN("PBS-CL", "search-pbs-cl" PBS_8),
               PLAIN("Read/write", TIMES_COPY " words=8388608")}},
    {.figure = "bcfsort-1",
     .title = "timed: all three phases",
     .param = "colors",
     .x_label = "colors",
     .unit = TIMES_MILLISECONDS,
     .x = {COLORS},
     .curve = {PLAIN("naive", COLORED "naive"), PLAIN("conflict-free", COLORED "conflict-free")}},
    {.figure = "bcfsort-1",
     .title = "timed: the third phase",
     .param = "colors",
     .x_label = "colors",
     .unit = TIMES_MILLISECONDS,
     .x = {COLORS},
     .curve = {{.title = "naive", .recipe = COLORED "naive", .last_launch = true},
               {.title = "conflict-free", .recipe = COLORED "conflict-free", .last_launch = true}}},
    BCF_CHARTS("bcfsort-3", TIMES_PER_WORD, "random keys", "", BCF_SIZES, "distinct keys",
               " --input distinct", BCF_SIZES),
    {.figure = "bcfsort-4",
     .title = "keys 0 and 1",
     .param = "n",
     .x_label = "keys",
     .unit = TIMES_PER_WORD,
     .y_log = true,
     .x = {BCF_SIZES},
     .curve = BCF_CURVES(" --input duplicates=2")},
    FEW_KEYS("bcfsort-4", TIMES_PER_WORD),
    BCF_CHARTS("bcfsort-5", TIMES_MILLISECONDS, "random keys", "", BCF_SIZES, "distinct keys",
               " --input distinct", BCF_SIZES),
    {.figure = "bcfsort-6",
     .title = "keys 0 and 1",
     .param = "n",
     .x_label = "keys",
     .unit = TIMES_MILLISECONDS,
     .y_log = true,
     .x = {BCF_SIZES},
     .curve = BCF_CURVES(" --input duplicates=2")},
    FEW_KEYS("bcfsort-6", TIMES_MILLISECONDS),
    {.figure = "bcfsort-7",
     .param = "blocks",
     .x_label = "pieces of 1024 keys",
     .unit = TIMES_MILLISECONDS,
     .y_log = true,
     .x = {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384},
     .curve = {PLAIN("ShearSort in registers", "shear-sort w=32"),
               PLAIN("ShearSort in shared memory", "shear-sort w=32 memory=shared"),
               PLAIN("odd-even transposition sort", "odd-even-sort w=32 u=512 n=1024"),
               PLAIN("Batcher's odd-even merge sort", "batcher-sort w=32 u=512 n=1024")}},
    {.figure = "beyond-2",
     .param = "n",
     .x_label = SORTS_LABEL ", E = 17",
     .unit = TIMES_RATE,
     .x = {THREADS},
     .curve = {OF_17("this sort, random", TIMES_SORT),
               OF_17("CUB merge, random", TIMES_LIBRARY_MERGE),
               OF_17("CUB radix, random", TIMES_LIBRARY_RADIX),
               OF_17("this sort, worst case", TIMES_SORT WORST),
               OF_17("CUB merge, worst case", TIMES_LIBRARY_MERGE WORST),
               OF_17("this sort, hardest", TIMES_SORT HARDEST),
               OF_17("CUB merge, hardest", TIMES_LIBRARY_MERGE HARDEST)}},
    {.figure = NULL},
};

int timed_curves(const struct timed_chart *chart)
{
    int count = 0;
    while (count < TIMED_CURVES && chart->curve[count].recipe)
        count++;
    return count;
}

int timed_points(const struct timed_chart *chart)
{
    int count = 0;
    while (count < TIMED_POINTS && chart->x[count])
        count++;
    return count;
}

static int value_of(const struct timed_chart *chart, const struct timed_curve *curve, int point)
{
    return chart->x[point] * (curve->scale ? curve->scale : 1);
}

/* Puts the input behind the parameters: one experiment has one key. */
static void put_input_last(char *key)
{
    static const char option[] = " --input ";
    char input[TIMES_KEY], *from = strstr(key, option);
    if (!from)
        return;
    size_t length = sizeof option - 1 + strcspn(from + sizeof option - 1, " ");
    if (length >= sizeof input)
        return;
    const size_t rest = strlen(from + length);
    memcpy(input, from, length);
    memmove(from, from + length, rest);
    memcpy(from + rest, input, length);
}

void timed_key(const struct timed_chart *chart, const struct timed_curve *curve, int point,
               char key[TIMES_KEY])
{
    snprintf(key, TIMES_KEY, "%s %s=%d", curve->recipe, chart->param,
             value_of(chart, curve, point));
    put_input_last(key);
}

double timed_value(const struct times *times, const struct timed_chart *chart,
                   const struct timed_curve *curve, int point, enum times_figure figure)
{
    char key[TIMES_KEY];
    const bool swaps = chart->unit == TIMES_RATE && figure != TIMES_MEDIAN;
    const enum times_figure wanted = !swaps                  ? figure
                                     : figure == TIMES_LEAST ? TIMES_MOST
                                                             : TIMES_LEAST;
    const double words = chart->words ? chart->words : value_of(chart, curve, point);
    timed_key(chart, curve, point, key);
    for (size_t i = 0; i < times->count; i++) {
        const struct measured *row = &times->row[i];
        if (row->last_launch != curve->last_launch || row->figure != wanted ||
            strcmp(row->key, key))
            continue;
        return chart->unit == TIMES_RATE        ? words / row->microseconds
               : chart->unit == TIMES_PER_WORD  ? row->microseconds * 1e3 / words
               : chart->unit == TIMES_PER_QUERY ? row->microseconds * 1e6 / words
                                                : row->microseconds * 1e-3;
    }
    return NAN;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The next field of a line; NULL after the last. The line is changed. */
static char *next_field(char **line)
{
    char *field = *line, *tab = field ? field + strcspn(field, "\t\n") : NULL;
    *line = tab && *tab == '\t' ? tab + 1 : NULL;
    if (tab)
        *tab = '\0';
    return field;
}

static bool read_row(struct times *times, char *line, const char *path, int number,
                     struct error *error)
{
    const char *bench = next_field(&line), *key = next_field(&line), *what = next_field(&line),
               *value = next_field(&line), *unit = next_field(&line);
    if (!bench || strcmp(bench, "time"))
        return true; /* the headings, or another bench */
    char *end = NULL;
    double microseconds = value ? strtod(value, &end) : 0;
    if (!unit || strcmp(unit, "us") || *end || !(microseconds > 0 && microseconds < 1e12))
        return error_set(error, "%s line %d: not \"time\", what was run, how, a number and \"us\"",
                         path, number);
    if (!memory_grow(&times->row, &times->room, times->count + 1, sizeof *times->row, "times",
                     error))
        return false;
    times->row[times->count] = (struct measured){.key = memory_copy(key),
                                                 .last_launch = strstr(what, "last launch") != NULL,
                                                 .figure = strstr(what, "least")  ? TIMES_LEAST
                                                           : strstr(what, "most") ? TIMES_MOST
                                                                                  : TIMES_MEDIAN,
                                                 .microseconds = microseconds,
                                                 .line = number};
    put_input_last(times->row[times->count++].key);
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    const int order = strcmp(x->key, y->key);
    return order                              ? order
           : x->last_launch != y->last_launch ? x->last_launch - y->last_launch
           : x->figure != y->figure           ? (int)x->figure - (int)y->figure
                                              : x->line - y->line;
}

/* Sorts the rows by key. false: two of them say different things of one experiment. */
static bool are_different(struct times *times, const char *path, struct error *error)
{
    if (times->count)
        qsort(times->row, times->count, sizeof *times->row, by_key);
    for (size_t i = 1; i < times->count; i++) {
        const struct measured *a = &times->row[i - 1], *b = &times->row[i];
        if (!strcmp(a->key, b->key) && a->last_launch == b->last_launch && a->figure == b->figure &&
            a->microseconds != b->microseconds)
            return error_set(error,
                             "%s lines %d and %d: %g and %g us for one experiment, \"%s\"; remove "
                             "one of them",
                             path, a->line, b->line, a->microseconds, b->microseconds, a->key);
    }
    return true;
}

bool times_read(struct times *times, const char *path, struct error *error)
{
    static const char device[] = "# device: ";
    char line[512];
    FILE *file = file_open(path, error);
    bool good = true;
    *times = (struct times){.device = memory_copy("")};
    if (!file)
        return false;
    for (int number = 1; good && fgets(line, sizeof line, file); number++) {
        if (!strncmp(line, device, sizeof device - 1)) {
            line[strcspn(line, "\n")] = '\0';
            free(times->device);
            times->device = text_clean(memory_copy(line + sizeof device - 1));
        } else if (*line != '#') {
            good = read_row(times, line, path, number, error);
        }
    }
    if (good && ferror(file))
        good = error_set(error, "%s: %s", path, strerror(errno));
    fclose(file);
    return good && are_different(times, path, error);
}

void times_free(struct times *times)
{
    for (size_t i = 0; i < times->count; i++)
        free(times->row[i].key);
    free(times->row);
    free(times->device);
    *times = (struct times){.count = 0};
}
