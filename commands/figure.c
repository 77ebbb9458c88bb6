/* figure.c - the papers' figures, each drawn from a recording made for it.
 *
 * A figure is a row of the table: what is recorded, and how its stage is drawn. Captions are our
 * own words. What a paper calls "arbitrary input" is given as splits, counted from its printed
 * cells (tests/golden has them): how many words each thread takes from A.
 */
#include "commands/command.h"
#include "commands/plot.h"

#include <stdlib.h>
#include <string.h>

const char figure_help[] =
    "usage: bankscope figure NAME -o FILE [--width MM] [--theme THEME]\n"
    "       bankscope figure NAME --cells\n"
    "       bankscope figure --list\n"
    "\n"
    "Draws a figure of the papers from a recording made for it. FILE's extension chooses the\n"
    "format: pdf, svg, png, tex (TikZ) or txt (the drawing list). Charts, which gnuplot\n"
    "draws, come as pdf, svg, png or txt (their numbers).\n"
    "\n"
    "  -o FILE            where to write it\n"
    "  --width MM         its width in millimetres, 20 to 1000 (a chart's from 60); by default\n"
    "                     85 or 178, one or two columns of a paper\n"
    "  --theme THEME      print (the default), light or dark\n"
    "  --cells            print the cells as text instead: one line per bank\n"
    "  --list             list the figures, and why some are missing\n"
    "\n"
    "examples:\n"
    "  bankscope figure cfmerge-2 -o cfmerge-2.pdf\n"
    "  bankscope figure worstcase-3 -o slide.svg --theme dark --width 250\n";

/* ---- the table ------------------------------------------------------------------------------- */

enum { PANELS_OF_FIGURE = 2 };
static const double one_column = 85, two_columns = 178, least_chart = 60; /* millimetres */

/* What is recorded, and how it is drawn; stage and index of `part` are filled in by drawing. */
struct panel {
    const char *kernel;
    const char *params; /* "w=12 u=12 E=5" */
    const char *input;  /* as for --input; NULL: random */
    const char *stage;
    struct figure_part part;
    int divide; /* words between dotted borders, where the kernel has none */
    int seed;   /* 0: the default */
};

struct row {
    const char *name;
    const char *caption;
    double width; /* millimetres */
    int per_row;  /* matrices side by side; 0: as many as fit */
    struct panel panel[PANELS_OF_FIGURE];
    /* Draws it instead of figure_draw. */
    bool (*draw)(const struct trace_index *index, int stage, double width, struct drawing *drawing,
                 struct error *error);
    const struct chart *chart; /* instead of panels */
    const char *missing;       /* why it cannot be drawn; then the rest is empty */
};

/* Conflicts of a stage against a parameter. */
struct chart {
    const char *param, *x_label, *y_label;
    int x[PLOT_POINTS]; /* up to a zero; values of the parameter when multiplied by the unit */
    bool x_powers;
    bool per_word; /* conflicts divided by the parameter; otherwise by the number of warps */
    struct chart_curve {
        const char *title;
        const char *kernel, *params, *input; /* recorded; kernel NULL: computed */
        const char *stage;                   /* NULL: all stages */
        int skip_rounds;                     /* so many of the stage's last rounds do not count */
        int unit;                            /* 0: 1 */
        double (*expected)(int x);
    } curve[PLOT_CURVES];
};

static bool draw_parameters(const struct trace_index *index, int stage, double width,
                            struct drawing *drawing, struct error *error);

#define STRIDE(stride, heading)                                                                    \
    {                                                                                              \
        "stride", "w=12 u=12 s=" stride, NULL, "read", .part = {                                   \
            .title = heading,                                                                      \
            .paint = PAINT_ROUND,                                                                  \
            .label = LABEL_ADDRESS,                                                                \
            .plain = true                                                                          \
        }                                                                                          \
    }
/* All rounds of a gather, side by side. */
#define GATHER(kernel, params, input, last, of_warp, colours)                                      \
    {                                                                                              \
        kernel, params, input, "gather", .part = {                                                 \
            .title = "",                                                                           \
            .warp = of_warp,                                                                       \
            .rounds = true,                                                                        \
            .last_round = last,                                                                    \
            .paint = colours,                                                                      \
            .borders = true,                                                                       \
            .used_columns = true                                                                   \
        }                                                                                          \
    }
/* Whole merges, A beside B, with the words that are read in step marked. */
#define MERGE(heading, params, input, colours, first_bank, banks)                                  \
    {                                                                                              \
        "thrust-merge", params, input, "merge", .part = {                                          \
            .title = heading,                                                                      \
            .paint = colours,                                                                      \
            .aligned_bank = first_bank,                                                            \
            .aligned_banks = banks,                                                                \
            .split = true,                                                                         \
            .used_columns = true                                                                   \
        }                                                                                          \
    }

/* Some rounds of a search, with the ways of each bank. */
#define SEARCH(kernel, size, input, stage, last)                                                   \
    {                                                                                              \
        kernel, size, input, stage, .part = {                                                      \
            .title = "",                                                                           \
            .rounds = true,                                                                        \
            .last_round = last,                                                                    \
            .paint = PAINT_ROUND,                                                                  \
            .degrees = true                                                                        \
        }                                                                                          \
    }
/* What the words of all warps hold after a round of shear-sort of an 8 x 32 matrix. */
#define SHEAR(heading, stage, round)                                                               \
    {                                                                                              \
        "shear-sort", "w=8 h=4", "sorted", stage,                                                  \
            .part = {.title = heading,                                                             \
                     .warp = -1,                                                                   \
                     .rounds = true,                                                               \
                     .first_round = round,                                                         \
                     .last_round = round,                                                          \
                     .paint = PAINT_NONE,                                                          \
                     .label = LABEL_VALUE,                                                         \
                     .plain = true,                                                                \
                     .borders = true},                                                             \
            .divide = 64                                                                           \
    }

/* Estimates of predecessor section V-B, for w = 32: passes beyond one of each iteration. In
 * iteration i a bank can be asked for 2^i words, at most w, and at most as many as it has. */
static double estimate(int iterations, int K)
{
    double conflicts = 0;
    for (int i = 0; i < iterations; i++) {
        int ways = i < 5 ? 1 << i : 32, words = K / 32;
        conflicts += (ways < words ? ways : words) - 1;
    }
    return conflicts;
}

static double estimate_pbs(int K)
{
    int iterations = 0;
    while (K >> (iterations + 1))
        iterations++;
    return estimate(iterations, K);
}

static double estimate_pbs_cl(int K)
{
    return estimate(5, K);
}

#define RECORDED(name, of, with, on, ...)                                                          \
    {                                                                                              \
        .title = name, .kernel = of, .params = with, .input = on, __VA_ARGS__                      \
    }
#define KEYS_FROM_32 32, 64, 128, 256, 512, 1024, 2048, 4096
#define CONFLICTS_PER_WARP "bank conflicts per warp and query"
/* The searches' parameters: banks of 8 bytes as on the paper's GPU. The kernel ends with a test
 * that the paper's loop lacks (search.h); it is skipped. */
#define PBS(size) "u=1024 Q=1024 bank_bytes=8 key_bytes=" size
static const struct chart chart_pbs_4 = {
    .param = "K",
    .x_label = "keys",
    .y_label = CONFLICTS_PER_WARP,
    .x = {KEYS_FROM_32, 8192},
    .x_powers = true,
    .curve = {{.title = "worst case, estimated", .expected = estimate_pbs},
              RECORDED("worst case, recorded", "search-pbs", PBS("4"), "worst", .stage = "search",
                       .skip_rounds = 1),
              RECORDED("random queries, recorded", "search-pbs", PBS("4"), "random",
                       .stage = "search", .skip_rounds = 1)}};
static const struct chart chart_pbs_8 = {
    .param = "K",
    .x_label = "keys",
    .y_label = CONFLICTS_PER_WARP,
    .x = {KEYS_FROM_32},
    .x_powers = true,
    .curve = {{.title = "worst case, estimated", .expected = estimate_pbs},
              RECORDED("worst case, recorded", "search-pbs", PBS("8"), "worst", .stage = "search",
                       .skip_rounds = 1),
              RECORDED("random queries, recorded", "search-pbs", PBS("8"), "random",
                       .stage = "search", .skip_rounds = 1)}};
static const struct chart chart_cl_8 = {
    .param = "K",
    .x_label = "keys",
    .y_label = CONFLICTS_PER_WARP,
    .x = {KEYS_FROM_32},
    .x_powers = true,
    .curve = {
        {.title = "worst case, estimated", .expected = estimate_pbs_cl},
        RECORDED("worst case, recorded", "search-pbs-cl", PBS("8"), "worst", .stage = "stage-2"),
        RECORDED("random queries, recorded", "search-pbs-cl", PBS("8"), "random",
                 .stage = "stage-2")}};
static const struct chart chart_colors = {
    .param = "colors",
    .x_label = "colors",
    .y_label = "bank conflicts of a page's scan",
    .x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
    .curve = {RECORDED("naive", "colored-scan", "variant=naive", "random", .stage = "scan"),
              RECORDED("conflict-free", "colored-scan", "variant=conflict-free", "random",
                       .stage = "scan")}};
static const struct chart chart_sort = {
    .param = "n",
    .x_label = "tiles of u E words",
    .y_label = "bank conflicts per word",
    .x = {1, 2, 4, 8},
    .x_powers = true,
    .per_word = true,
    .curve = {
        RECORDED("worst case, E = 15, u = 512", "thrust-sort", "E=15 u=512", "worst", .unit = 7680),
        RECORDED("worst case, E = 17, u = 256", "thrust-sort", "E=17 u=256", "worst", .unit = 4352),
        RECORDED("random, E = 15, u = 512", "thrust-sort", "E=15 u=512", "random", .unit = 7680),
        RECORDED("random, E = 17, u = 256", "thrust-sort", "E=17 u=256", "random", .unit = 4352)}};

#define NEEDS_TIMES "running times: needs a GPU and a benchmark of the sorts"
#define NEEDS_SEARCH_TIMES "running times: needs a GPU and a benchmark of the searches"

#define MISSING(figure, why)                                                                       \
    {                                                                                              \
        .name = figure, .missing = why                                                             \
    }

static const struct row figures[] = {
    {.name = "cfmerge-1",
     .caption = "Twelve threads read words that are 5 apart (left: one word in each bank) and 6 "
                "apart (right: six words in each of two banks). Cells show addresses.",
     .width = one_column,
     .panel = {STRIDE("5", "stride 5"), STRIDE("6", "stride 6")}},
    {.name = "cfmerge-2",
     .caption = "CF-Merge, w = 12, E = 5: in each round the threads of a warp read one word from "
                "each bank (green). A is yellow, B, stored in reverse, is blue; cells show the "
                "thread that reads them.",
     .width = two_columns,
     .per_row = 5,
     .panel = {GATHER("cf-merge", "w=12 u=12 E=5", "splits=2,4,2,3,1,3,3,2,0,4,4,2", 4, 0,
                      PAINT_ROUND)}},
    {.name = "cfmerge-3",
     .caption =
         "CF-Merge, w = 9, E = 6, whose common divisor is 3: partitions of 18 words (dotted "
         "borders) are shifted by 0, 1 and 2 words, and again every round reads each bank once.",
     .width = one_column,
     .per_row = 3,
     .panel = {GATHER("cf-merge", "w=9 u=9 E=6", "splits=4,3,1,4,1,3,4,1,6", 5, 0, PAINT_ROUND)}},
    {.name = "cfmerge-4",
     .caption = "Worst-case inputs of Thrust's merge, w = 12: red words are read in step, bank 12 "
                "- E + j in round j, and collide.",
     .width = one_column,
     .panel = {MERGE("E = 5", "w=12 u=12 E=5", "worst", PAINT_ALIGNED, 7, 5),
               MERGE("E = 9", "w=12 u=12 E=9", "worst", PAINT_ALIGNED, 3, 9)}},
    MISSING("cfmerge-5", NEEDS_TIMES),
    MISSING("cfmerge-6", NEEDS_TIMES),
    {.name = "cfmerge-7",
     .caption = "The gather without the reversal of B, w = 12, E = 5: no bank conflicts, but "
                "threads that must read two words in one round (red) stall the warp.",
     .width = two_columns,
     .per_row = 5,
     .panel = {GATHER("dual-scan", "w=12 u=12 E=5", "splits=2,4,2,3,1,3,3,2,0,4,4,2", 4, 0,
                      PAINT_STALLS)}},
    {.name = "cfmerge-8",
     .caption = "CF-Merge by a block of three warps, u = 18, w = 6, E = 4: partitions of 12 words "
                "are shifted by 0 and 1 words; in each round each warp reads each bank once.",
     .width = two_columns,
     .per_row = 2,
     .panel = {GATHER("cf-merge", "w=6 u=18 E=4", NULL, 3, -1, PAINT_ROUND)}},
    {.name = "worstcase-1",
     .caption = "Sorted input, w = 16, E = 12: green words in banks 0 to 11 are read in step, bank "
                "j in round j, and collide; red ones are not; grey ones lie in other banks.",
     .width = one_column,
     .panel = {MERGE("", "w=16 u=16 E=12", "sorted", PAINT_ON_TIME, 0, 12)}},
    {.name = "worstcase-2",
     .caption = "What the construction's parameters count: the words of A before the first and "
                "after the last of the m full columns that t threads scan in E banks.",
     .width = one_column,
     .panel = {{"thrust-merge", "w=16 u=32 E=7",
                "splits=7,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,7,7,7,7,7,7,7,0,0,0,0,0,0,0,0,0", "merge",
                .part = {.warp = 1}}},
     .draw = draw_parameters},
    {.name = "worstcase-3",
     .caption = "Constructed worst cases, w = 16: left E = 7, in step in the first 7 banks; right "
                "E = 9, in step in the last 9 banks. Colours as in worstcase-1.",
     .width = one_column,
     .panel = {MERGE("E = 7", "w=16 u=16 E=7", "splits=7,0,7,2,7,3,0,6,7,0,6,0,3,7,7,2",
                     PAINT_ON_TIME, 0, 7),
               MERGE("E = 9", "w=16 u=16 E=9", "splits=7,9,4,0,3,9,8,0,8,3,0,4,9,7,9,0",
                     PAINT_ON_TIME, 7, 9)}},
    MISSING("worstcase-4", NEEDS_TIMES),
    MISSING("worstcase-5", NEEDS_TIMES),
    {.name = "worstcase-6",
     .caption = "Conflicts per word of Thrust's whole sort: every level of merges between blocks "
                "adds more than three times as many on the worst case as on random input. The "
                "paper's running times are left out.",
     .width = one_column,
     .chart = &chart_sort},
    {.name = "predecessor-2",
     .caption = "Four threads, four banks, no conflict: threads 1 and 2 read one word (1+), which "
                "is sent to both.",
     .width = one_column,
     .panel = {{"broadcast", "w=4 u=4 pattern=random", NULL, "read",
                .part = {.title = "", .paint = PAINT_ROUND, .degrees = true}, .seed = 8}}},
    {.name = "predecessor-3",
     .caption = "Four threads read four words of bank 1: a 4-way conflict.",
     .width = one_column,
     .panel = {{"stride", "w=4 u=4 s=4 rounds=2", NULL, "read",
                .part = {.title = "",
                         .rounds = true,
                         .first_round = 1,
                         .last_round = 1,
                         .paint = PAINT_ROUND,
                         .degrees = true}}}},
    {.name = "predecessor-4",
     .caption = "PBS, worst case, w = 4, K = 64, a multiple of w^2: the first log K - log w rounds "
                "read from bank 0 only, up to w words of it.",
     .width = one_column,
     .per_row = 1,
     .panel = {SEARCH("search-pbs", "w=4 u=4 Q=4 K=64", "worst", "search", 3)}},
    {.name = "predecessor-5",
     .caption = "Stage 1 of PBS-CF on the queries of predecessor-4: every thread stays in a bank "
                "of its own.",
     .width = one_column,
     .per_row = 1,
     .panel = {SEARCH("search-pbs-cf", "w=4 u=4 Q=4 K=64", "worst", "stage-1", 3)}},
    {.name = "predecessor-6",
     .caption = "Stage 2 of PBS-CL, worst case, w = 8: 1, 2, 4 ways from round to round, w - 1 "
                "passes together.",
     .width = two_columns,
     .per_row = 3,
     .panel = {SEARCH("search-pbs-cl", "w=8 u=8 Q=8 K=64", "worst", "stage-2", 2)}},
    {.name = "predecessor-7",
     .caption =
         "Conflicts of PBS with 4-byte keys in 8-byte banks: two keys share a word, so the worst "
         "case stays below the estimate until K = 2048. The paper's running times are left out.",
     .width = one_column,
     .chart = &chart_pbs_4},
    {.name = "predecessor-8",
     .caption = "Conflicts of PBS with 8-byte keys: the worst case is the estimate. The paper's "
                "running times are left out.",
     .width = one_column,
     .chart = &chart_pbs_8},
    {.name = "predecessor-9",
     .caption = "Conflicts of PBS-CL with 8-byte keys: never more than w - 1 - log w = 26. The "
                "paper's running times are left out.",
     .width = one_column,
     .chart = &chart_cl_8},
    MISSING("predecessor-10", NEEDS_SEARCH_TIMES),
    MISSING("predecessor-11", NEEDS_SEARCH_TIMES),
    {.name = "bcfsort-1",
     .caption = "Conflicts of colored prefix sums against the number of colors, without and with "
                "the transposition that avoids them. The paper's running times are left out.",
     .width = one_column,
     .chart = &chart_colors},
    {.name = "bcfsort-2",
     .caption = "Shared memory as a matrix with a row for each bank: 64 consecutive words fill 8 "
                "banks column by column. Cells show addresses.",
     .width = one_column,
     .panel = {{"stride", "w=8 u=64 s=1", NULL, "read",
                .part = {.title = "",
                         .warp = -1,
                         .paint = PAINT_NONE,
                         .label = LABEL_ADDRESS,
                         .plain = true}}}},
    MISSING("bcfsort-3", NEEDS_TIMES),
    MISSING("bcfsort-4", NEEDS_TIMES),
    MISSING("bcfsort-5", NEEDS_TIMES),
    MISSING("bcfsort-6", NEEDS_TIMES),
    MISSING("bcfsort-7", NEEDS_TIMES),
    {.name = "bcfsort-8",
     .caption = "An 8 x 32 matrix of 8 x 8 squares (dotted borders), before and after each square "
                "is transposed. Cells show what the words hold.",
     .width = two_columns,
     .panel = {SHEAR("before", "load", 7), SHEAR("after", "gather", 7)}},
    {.name = "bcfsort-9",
     .caption = "The matrix of bcfsort-8 after the four columns that each row has become are "
                "gathered: rows 0 and 1 fill the first square, and so on.",
     .width = two_columns,
     .panel = {SHEAR("", "gather", 15)}},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

static const struct row *find(const char *name)
{
    const char *names[FIGURES + 1] = {NULL};
    for (int i = 0; i < FIGURES; i++) {
        if (strcmp(figures[i].name, name) == 0)
            return &figures[i];
        names[i] = figures[i].name;
    }
    const char *near = nearest_name(name, names);
    command_usage("figure", "there is no figure '%s'%s%s%s; 'bankscope figure --list' shows them",
                  name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return NULL;
}

static void list_figures(void)
{
    for (int i = 0; i < FIGURES; i++)
        printf("%-14s %s%s\n", figures[i].name, figures[i].missing ? "missing: " : "",
               figures[i].missing ? figures[i].missing : figures[i].caption);
}

/* ---- recording and drawing ------------------------------------------------------------------- */

/* A row's panels, recorded. */
struct recorded {
    struct trace trace[PANELS_OF_FIGURE];
    struct trace_index index[PANELS_OF_FIGURE];
    struct figure_part part[PANELS_OF_FIGURE];
    int parts;
};

static void recorded_free(struct recorded *recorded)
{
    for (int i = 0; i < PANELS_OF_FIGURE; i++) {
        trace_index_free(&recorded->index[i]);
        trace_free(&recorded->trace[i]);
    }
}

/* Runs a kernel with these parameters (two strings of them). */
static bool record(const char *name, const char *params, const char *more, const char *input,
                   int seed, const struct trace_sink *sink, struct error *error)
{
    const struct kernel *kernel = catalogue_find(name, error);
    if (!kernel)
        return false;
    struct kernel_setup setup;
    struct run_result result;
    setup_init(&setup, kernel);
    if (seed)
        setup.input.seed = (uint64_t)seed;
    bool good = setup_params(&setup, params, error) && setup_params(&setup, more, error) &&
                (!input || setup_input(&setup, input, error)) &&
                setup_run(&setup, BACKEND_HOST, sink, &result, error);
    setup_free(&setup);
    return good;
}

/* Records all panels of a row. recorded_free afterwards in any case. */
static bool record_row(const struct row *row, struct recorded *recorded, struct error *error)
{
    *recorded = (struct recorded){.parts = 0};
    for (int i = 0; i < PANELS_OF_FIGURE && row->panel[i].kernel; i++) {
        struct figure_part *part = &recorded->part[i];
        const struct panel *panel = &row->panel[i];
        struct trace_sink sink = trace_memory_sink(&recorded->trace[i]);
        if (!record(panel->kernel, panel->params, "", panel->input, panel->seed, &sink, error) ||
            !trace_index_init(&recorded->index[i], &recorded->trace[i], error))
            return false;
        if (row->panel[i].divide)
            recorded->trace[i].header.partition = row->panel[i].divide;
        *part = row->panel[i].part;
        part->index = &recorded->index[i];
        part->stage = header_stage(&recorded->trace[i].header, row->panel[i].stage);
        recorded->parts++;
    }
    return true;
}

/* ---- charts ---------------------------------------------------------------------------------- */

/* A curve's conflicts at x, per warp or per word. */
static bool record_point(const struct chart *chart, const struct chart_curve *curve, int x,
                         double *y, struct error *error)
{
    char assignment[64];
    struct stats stats;
    struct trace_sink sink;
    int value = x * (curve->unit ? curve->unit : 1), last_round = 0;
    uint64_t conflicts = 0;
    snprintf(assignment, sizeof assignment, "%s=%d", chart->param, value);
    stats_init(&stats, STATS_BY_ROUND);
    sink = stats_sink(&stats);
    bool good = record(curve->kernel, curve->params, assignment, curve->input, 0, &sink, error);
    int stage = curve->stage && good ? header_stage(&stats.header, curve->stage) : -1;
    for (size_t i = 0; i < stats.rows; i++)
        if (stats.row[i].stage == stage && stats.row[i].round > last_round)
            last_round = stats.row[i].round;
    for (size_t i = 0; i < stats.rows; i++)
        if (!curve->stage ||
            (stats.row[i].stage == stage && stats.row[i].round <= last_round - curve->skip_rounds))
            conflicts += stats.row[i].conflicts;
    if (good) {
        int warps = (stats.header.threads - 1) / stats.header.warp + 1;
        *y = (double)conflicts / (chart->per_word ? value : warps * stats.header.blocks);
    }
    stats_free(&stats);
    return good;
}

static bool record_chart(const struct chart *chart, struct plot *plot, struct error *error)
{
    *plot = (struct plot){
        .x_label = chart->x_label, .y_label = chart->y_label, .x_powers = chart->x_powers};
    for (; plot->points < PLOT_POINTS && chart->x[plot->points]; plot->points++)
        plot->x[plot->points] = chart->x[plot->points];
    for (int c = 0; c < PLOT_CURVES && chart->curve[c].title; c++) {
        const struct chart_curve *curve = &chart->curve[c];
        struct plot_curve *to = &plot->curve[plot->curves++];
        to->title = curve->title;
        to->computed = !curve->kernel;
        for (int i = 0; i < plot->points; i++) {
            if (!curve->kernel)
                to->y[i] = curve->expected(chart->x[i]);
            else if (!record_point(chart, curve, chart->x[i], &to->y[i], error))
                return false;
        }
    }
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool draw_row(const struct row *row, const struct recorded *recorded, double width,
                     struct drawing *drawing, struct error *error)
{
    if (row->draw)
        return row->draw(recorded->part[0].index, recorded->part[0].stage, width, drawing, error);
    struct figure figure = {
        .parts = recorded->parts, .part = recorded->part, .width = width, .per_row = row->per_row};
    return figure_draw(&figure, drawing, error);
}

static void print_command(const char *kernel, const char *params, const char *input, int seed)
{
    char word[64];
    int length;
    printf("  bankscope run %s", kernel);
    for (const char *at = params; sscanf(at, "%63s%n", word, &length) == 1; at += length)
        printf(" -p %s", word);
    printf("%s%s", input ? " --input " : "", input ? input : "");
    if (seed)
        printf(" --seed %d", seed);
}

/* Says what was drawn, and how to record it. */
static void print_origin(const struct row *row)
{
    printf("%s: %s\n", row->name, row->caption);
    for (int i = 0; i < PANELS_OF_FIGURE && row->panel[i].kernel; i++) {
        const struct panel *panel = &row->panel[i];
        print_command(panel->kernel, panel->params, panel->input, panel->seed);
        printf("\n");
    }
    for (int i = 0; row->chart && i < PLOT_CURVES; i++) {
        const struct chart_curve *curve = &row->chart->curve[i];
        if (!curve->kernel)
            continue;
        print_command(curve->kernel, curve->params, curve->input, 0);
        printf(" -p %s=%d ...\n", row->chart->param,
               row->chart->x[0] * (curve->unit ? curve->unit : 1));
    }
}

static bool print_cells(const struct recorded *recorded, struct error *error)
{
    for (int i = 0; i < recorded->parts; i++) {
        if (i)
            printf("\n");
        if (!figure_cells(&recorded->part[i], stdout, error))
            return false;
    }
    return true;
}

static bool write_figure(const struct row *row, const struct recorded *recorded, double width,
                         const struct theme *theme, const char *path, struct error *error)
{
    static const double points_per_millimetre = 72 / 25.4;
    struct drawing drawing = {0};
    struct plot plot;
    bool good = false;
    if (row->chart && width < least_chart)
        return error_set(error, "%s: the numbers of a chart need a --width of %.0f or more",
                         row->name, least_chart);
    width *= points_per_millimetre;
    if (row->chart)
        good =
            record_chart(row->chart, &plot, error) && plot_write(&plot, theme, width, path, error);
    else
        good = draw_row(row, recorded, width, &drawing, error) &&
               export_drawing(&drawing, theme, path, error);
    if (good)
        command_warn_unlabelled("figure", drawing.unlabelled);
    drawing_free(&drawing);
    if (good && strcmp(path, "-") != 0)
        print_origin(row);
    return good;
}

int command_figure(int argc, char **argv)
{
    enum { WIDTH = OPTION_FIRST_FREE, THEME, CELLS, LIST };
    static const struct option longs[] = {
        {"output", required_argument, NULL, 'o'},  {"width", required_argument, NULL, WIDTH},
        {"theme", required_argument, NULL, THEME}, {"cells", no_argument, NULL, CELLS},
        {"list", no_argument, NULL, LIST},         {NULL, 0, NULL, 0}};
    struct error error = {{0}};
    const struct theme *theme = theme_find("print", &error);
    const char *path = NULL;
    bool cells = false, list = false;
    int64_t width = 0;
    int option;

    while ((option = command_option(argc, argv, ":o:", longs)) != -1) {
        switch (option) {
        case 'o':
            path = optarg;
            break;
        case WIDTH:
            if (!command_number(argv[0], "--width", optarg, 20, 1000, &width))
                return 2;
            break;
        case THEME:
            theme = theme_find(optarg, &error);
            if (!theme)
                return command_usage(argv[0], "%s", error.text);
            break;
        case CELLS:
            cells = true;
            break;
        case LIST:
            list = true;
            break;
        default:
            return 2;
        }
    }
    if (list && optind == argc && !path && !cells)
        return list_figures(), 0;
    if (list)
        return command_usage(argv[0], "--list stands alone");
    if (argc - optind != 1)
        return command_usage(argv[0], argc == optind ? "which figure? --list shows them"
                                                     : "one figure at a time");
    const struct row *row = find(argv[optind]);
    if (!row)
        return 2;
    if (!path == !cells)
        return command_usage(argv[0], "say where to write %s with -o FILE, or ask for its --cells",
                             row->name);
    struct recorded recorded;
    if (row->missing) {
        error_set(&error, "%s is not drawn yet: %s", row->name, row->missing);
        return command_fail(argv[0], &error);
    }
    if (row->chart && cells)
        return command_usage(argv[0], "%s is a chart; -o FILE.txt writes its numbers", row->name);
    if (path && !(row->chart ? plot_check_path : export_check_path)(path, &error))
        return command_fail(argv[0], &error);
    bool good = record_row(row, &recorded, &error) &&
                (cells ? print_cells(&recorded, &error)
                       : write_figure(row, &recorded, width ? (double)width : row->width, theme,
                                      path, &error));
    recorded_free(&recorded);
    return good ? 0 : command_fail(argv[0], &error);
}

/* ---- worstcase-2: a drawing of definitions --------------------------------------------------- */

/* A square bracket beside or above cells, open towards them. */
static void bracket(struct drawing *drawing, double x1, double y1, double x2, double y2, double tip)
{
    bool upright = x1 == x2;
    double thick = tip < 0 ? -tip / 5 : tip / 5;
    drawing_line(drawing, ROLE_INK, thick, false, x1, y1, x2, y2);
    drawing_line(drawing, ROLE_INK, thick, false, x1, y1, upright ? x1 + tip : x1,
                 upright ? y1 : y1 + tip);
    drawing_line(drawing, ROLE_INK, thick, false, x2, y2, upright ? x2 + tip : x2,
                 upright ? y2 : y2 + tip);
}

/* Words of a bracket: from the lowest to the highest word of one list that the map's warp reads. */
static void list_extent(const struct stage_map *map, char list, int *first, int *end)
{
    struct word_use use;
    *first = *end = -1;
    for (uint32_t word = map->first_word; word < map->first_word + map->words; word++)
        if (stage_map_use(map, word, 0, &use) && use.warp == map->warp && use.tag == list) {
            *first = *first < 0 ? (int)word : *first;
            *end = (int)word + 1;
        }
}

/* The share of A of the second warp, with the parts of it that the paper's section III-A names. */
static bool draw_parameters(const struct trace_index *index, int stage, double width,
                            struct drawing *drawing, struct error *error)
{
    const struct trace_header *header = &index->trace->header;
    int w = header->banks, E = (int)header_param(header, "E", 1), first, end;
    struct stage_map map = {0};
    if (!stage_map_set(&map, index, stage, 0, 1, error))
        return false;
    list_extent(&map, 'A', &first, &end);
    int columns = (end - 1) / w + 1, before = w - first % w, after = (end - 1) % w + 1 - E;
    int full = columns - 1; /* the first column holds only what lies before */

    /* Laid out for one column; smaller on a narrower page, in the middle of a wider one. */
    double k = width < 241 ? width / 241 : 1, text = 7 * k, top = 26 * k;
    double left = (width - 241 * k) / 2 + 62 * k, cell_w = 117 * k / columns, cell_h = 11 * k;
    struct matrix matrix = {.map = &map,
                            .step = map.steps,
                            .paint = PAINT_NONE,
                            .list = 'A',
                            .columns = columns,
                            .rows = w,
                            .x = left,
                            .y = top,
                            .cell_w = cell_w,
                            .cell_h = cell_h,
                            .least_text = 1};
    double x2 = left + columns * cell_w, y2 = top + w * cell_h, tip = 4 * k;
    struct text_style centre = {ROLE_INK, text, ALIGN_CENTRE, FACE_PLAIN};
    struct text_style to_left = {ROLE_INK, text, ALIGN_RIGHT, FACE_PLAIN};
    struct text_style to_right = {ROLE_INK, text, ALIGN_LEFT, FACE_PLAIN};
    drawing_begin(drawing, width, y2 + 30 * k);
    drawing_box(drawing, ROLE_PAPER, 0, 0, width, y2 + 30 * k);
    matrix_draw(&matrix, drawing);
    matrix_banks(&matrix, left - 3 * k, drawing);
    drawing_edged(drawing, ROLE_NONE, ROLE_CURSOR, 1.6 * k, left + cell_w, top, full * cell_w,
                  E * cell_h);

    bracket(drawing, left + cell_w, top - 5 * k, x2, top - 5 * k, tip);
    drawing_text(drawing, &centre, (left + cell_w + x2) / 2, top - 9 * k, "m = %d full columns",
                 full);
    double y = top + (w - before) * cell_h, x = left - 19 * k;
    bracket(drawing, x, y, x, y2, tip);
    drawing_text(drawing, &to_left, x - 3 * k, (y + y2) / 2 + TEXT_MIDDLE(text), "α↑ = %d", before);
    bracket(drawing, x, top, x, top + E * cell_h, tip);
    drawing_text(drawing, &to_left, x - 3 * k, top + E * cell_h / 2 + TEXT_MIDDLE(text), "E = %d",
                 E);
    x = x2 + 5 * k;
    y = top + E * cell_h;
    bracket(drawing, x, y, x, y + after * cell_h, -tip);
    drawing_text(drawing, &to_right, x + 3 * k, y + after * cell_h / 2 + TEXT_MIDDLE(text),
                 "α↓ = %d", after);
    drawing_text(drawing, &centre, width / 2, y2 + 16 * k,
                 "|A| = α↑ + (m − 1) w + E + α↓ = %d + %d + %d + %d = %d = %d E", before,
                 (full - 1) * w, E, after, end - first, (end - first) / E);
    stage_map_free(&map);
    return true;
}
