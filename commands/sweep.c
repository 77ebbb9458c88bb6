/* sweep.c - record a kernel with many sets of parameters: a table, a file, a chart. */
#include "record/sweep.h"
#include "commands/command.h"
#include "record/record.h"
#include "viewer/viewer.h"
#ifdef HAVE_CAIRO
#include "papers/papers.h"
#endif

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const char sweep_help[] =
    "usage: bankscope sweep KERNEL|FILE.cu NAME=VALUES... [options] [-o FILE]\n"
    "\n"
    "Records a kernel with every combination of parameters, on all processors, and prints a row\n"
    "for each. VALUES are A..B, A..B..STEP, A..B*FACTOR or a list such as 15,17; a parameter may\n"
    "also have one value, as in 'run'. To sweep inputs or seeds, too, give --input several times,\n"
    "or --seed A..B. The host part of FILE.cu runs natively, as you: sweep only what you trust.\n"
    "\n"
    "  NAME=VALUES        a parameter of the kernel; -p NAME=VALUES is the same\n"
    "  --input INPUT      as in 'run'; give it several times to sweep inputs\n"
    "  --seed SEEDS       a seed, or several\n"
    "  --stage STAGE      count this stage (default: the whole kernel)\n"
    "  --measure WHAT     what a chart shows: conflicts (the default), passes, ways or\n"
    "                     per-access (passes per warp access)\n"
    "  --jobs N           recordings at a time (default: one per processor)\n"
    "  --shard I/N        do only part I of N, to divide the work between machines; the N\n"
    "                     tables or CSV files, concatenated in order, are the whole result\n"
    "  -o FILE            write .csv, .json, or a chart: .pdf, .svg, .png, .tex (pgfplots);\n"
    "                     the first swept parameter is its x axis, the others are its curves\n"
    "  --width MM         width of a chart in millimetres, 60 to 1000 (default 120)\n"
    "  --theme THEME      its colours: print (the default), light or dark; not in .tex\n"
    "\n"
    "examples:\n"
    "  bankscope sweep stride s=1..32\n"
    "  bankscope sweep thrust-merge w=16 u=64 E=3..9..2 --input random --input worst -o E.pdf\n";

const struct option sweep_longs[] = {{"input", required_argument, NULL, OPTION_INPUT},
                                     {"seed", required_argument, NULL, OPTION_SEED},
                                     {"stage", required_argument, NULL, 's'},
                                     {"measure", required_argument, NULL, 'm'},
                                     {"jobs", required_argument, NULL, 'j'},
                                     {"shard", required_argument, NULL, 'i'},
                                     {"output", required_argument, NULL, 'o'},
                                     {"width", required_argument, NULL, 'w'},
                                     {"theme", required_argument, NULL, 't'},
                                     {NULL, 0, NULL, 0}};

static double conflicts_of(const struct sweep_point *point)
{
    return (double)point->conflicts;
}
static double passes_of(const struct sweep_point *point)
{
    return (double)point->passes;
}
static double ways_of(const struct sweep_point *point)
{
    return point->max_ways;
}
static double passes_per_access(const struct sweep_point *point)
{
    return (double)point->passes / (double)(point->warp_accesses ? point->warp_accesses : 1);
}
static const struct measure {
    const char *name, *label;
    double (*of)(const struct sweep_point *point);
} measures[] = {
    {"conflicts", "bank conflicts", conflicts_of},
    {"passes", "passes", passes_of},
    {"ways", "most ways", ways_of},
    {"per-access", "passes per warp access", passes_per_access},
};
enum { MEASURES = sizeof measures / sizeof *measures, MOST_INPUTS = 64, MOST_CURVES = 14 };

/* ---- tables -------------------------------------------------------------------------------------- */

/* What a table shows of a point, behind the axes' values. */
static const char *const columns[] = {"warp_accesses", "accesses", "passes", "conflicts",
                                      "max_ways"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void values_of(const struct sweep_point *point, uint64_t value[COLUMNS])
{
    const uint64_t all[COLUMNS] = {point->warp_accesses, point->accesses, point->passes,
                                   point->conflicts, (uint64_t)point->max_ways};
    memcpy(value, all, sizeof all);
}

static bool in_share(const struct sweep *sweep, size_t point)
{
    return point % sweep->step == sweep->first;
}

static int axis_width(const struct sweep_axis *axis)
{
    size_t width = strlen(axis->name);
    for (int i = 0; i < axis->count; i++)
        if (strlen(axis->value[i]) > width)
            width = strlen(axis->value[i]);
    return (int)width;
}

static void print_table(const struct sweep *sweep)
{
    for (int i = 0; i < sweep->axes && sweep->first == 0; i++)
        printf("%*s  ", axis_width(&sweep->axis[i]), sweep->axis[i].name);
    for (int i = 0; i < COLUMNS && sweep->first == 0; i++)
        printf("%14s%s", columns[i], i + 1 < COLUMNS ? "" : "\n");
    for (size_t k = 0; k < sweep->points; k++) {
        const struct sweep_point *point = &sweep->point[k];
        uint64_t value[COLUMNS];
        if (!in_share(sweep, k))
            continue;
        for (int i = 0; i < sweep->axes; i++)
            printf("%*s  ", axis_width(&sweep->axis[i]), sweep_value(sweep, k, i));
        values_of(point, value);
        for (int i = 0; i < COLUMNS && point->state == SWEEP_DONE; i++)
            printf("%14" PRIu64, value[i]);
        puts(point->state == SWEEP_DONE ? "" : "  refused");
    }
}

static bool write_csv(const struct sweep *sweep, FILE *file, struct error *error)
{
    (void)error;
    for (int i = 0; i < sweep->axes && sweep->first == 0; i++)
        text_put(file, TEXT_CELL, sweep->axis[i].name), fputc(',', file);
    for (int i = 0; i < COLUMNS && sweep->first == 0; i++)
        fprintf(file, "%s%c", columns[i], i + 1 < COLUMNS ? ',' : '\n');
    for (size_t k = 0; k < sweep->points; k++) {
        uint64_t value[COLUMNS];
        if (!in_share(sweep, k))
            continue;
        for (int i = 0; i < sweep->axes; i++)
            text_put(file, TEXT_CELL, sweep_value(sweep, k, i)), fputc(',', file);
        values_of(&sweep->point[k], value);
        for (int i = 0; i < COLUMNS; i++) {
            if (sweep->point[k].state == SWEEP_DONE)
                fprintf(file, "%" PRIu64, value[i]);
            fputc(i + 1 < COLUMNS ? ',' : '\n', file);
        }
    }
    return true;
}

/* A list of objects: one per point. */
static bool write_json(const struct sweep *sweep, FILE *file, struct error *error)
{
    fputs("[", file);
    const char *between = "\n";
    for (size_t k = 0; k < sweep->points; k++) {
        const struct sweep_point *point = &sweep->point[k];
        uint64_t value[COLUMNS];
        if (!in_share(sweep, k))
            continue;
        cJSON *object = cJSON_CreateObject();
        for (int i = 0; i < sweep->axes; i++) {
            const char *text = sweep_value(sweep, k, i);
            char *end;
            double number = strtod(text, &end);
            if (*end)
                cJSON_AddStringToObject(object, sweep->axis[i].name, text);
            else
                cJSON_AddNumberToObject(object, sweep->axis[i].name, number);
        }
        values_of(point, value);
        for (int i = 0; i < COLUMNS && point->state == SWEEP_DONE; i++)
            cJSON_AddNumberToObject(object, columns[i], (double)value[i]);
        if (point->state != SWEEP_DONE)
            cJSON_AddStringToObject(object, "refused", point->why);
        char *text = cJSON_PrintUnformatted(object);
        cJSON_Delete(object);
        if (!text)
            return error_set(error, "out of memory");
        fprintf(file, "%s%s", between, text_clean(text));
        between = ",\n";
        cJSON_free(text);
    }
    fputs("\n]\n", file);
    return true;
}

struct request {
    struct sweep sweep;
    const struct measure *measure;
    const char *path;
    int64_t width; /* of a chart, in mm */
    const struct theme *theme;
};

/* ---- the chart ------------------------------------------------------------------------------------- */

#ifdef HAVE_CAIRO
/* "E=15 input=worst": the values of all axes but the first. */
static char *curve_title(const struct sweep *sweep, size_t point)
{
    char title[512] = "";
    for (int i = 1; i < sweep->axes; i++) {
        text_add(title, sizeof title, "%s%s=%s", *title ? " " : "", sweep->axis[i].name,
                 sweep_value(sweep, point, i));
    }
    return memory_copy(*title ? title : sweep->kernel->name);
}

static bool check_chart(const struct sweep *sweep, const char *path, struct error *error)
{
    size_t curves = sweep->points / (size_t)sweep->axis[0].count;
    if (!plot_is_format(path, error))
        return error_add(error, ", tables as .csv or .json"), false;
    if (sweep->step > 1)
        return error_set(error, "a chart needs all points, and a shard has some: write .csv");
    if (curves > MOST_CURVES)
        return error_set(error, "a chart of %zu curves: at most %d can be told apart", curves,
                         MOST_CURVES);
    for (int i = 0; i < sweep->axis[0].count; i++) {
        char *end;
        strtod(sweep->axis[0].value[i], &end);
        if (*end)
            return error_set(error,
                             "%s=%s is no number, and a chart's x is the first that is "
                             "swept: begin with another",
                             sweep->axis[0].name, sweep->axis[0].value[i]);
    }
    return true;
}

static bool write_chart(const struct request *request, struct error *error)
{
    const struct sweep *sweep = &request->sweep;
    const struct measure *measure = request->measure;
    int points = sweep->axis[0].count;
    size_t curves = sweep->points / (size_t)points;
    struct plot plot;
    bool good = plot_init(&plot, points, (int)curves, error);
    for (size_t c = 0; good && c < curves; c++) {
        plot.curve[c].title = curve_title(sweep, c);
        for (int i = 0; i < points; i++) {
            const struct sweep_point *point = &sweep->point[(size_t)i * curves + c];
            plot.x[i] = strtod(sweep->axis[0].value[i], NULL);
            plot.curve[c].y[i] = point->state == SWEEP_DONE ? measure->of(point) : (double)NAN;
        }
    }
    if (good) {
        plot.x_label = sweep->axis[0].name;
        plot.y_label = measure->label;
        plot.x_powers = points > 2 && plot.x[0] > 0;
        for (int i = 1; i < points; i++)
            plot.x_powers &= plot.x[i] == 2 * plot.x[i - 1];
        const struct plot_output output = {.path = request->path,
                                           .width = (double)request->width * 72 / 25.4,
                                           .theme = request->theme};
        good = plot_write(&plot, 1, &output, error);
    }
    plot_free(&plot);
    return good;
}
#else
static bool check_chart(const struct sweep *sweep, const char *path, struct error *error)
{
    (void)sweep;
    return error_set(error, "%s: charts are left out of this build; write .csv or .json", path);
}
static bool write_chart(const struct request *request, struct error *error)
{
    return check_chart(&request->sweep, request->path, error);
}
#endif

/* ---- the command ------------------------------------------------------------------------------------ */

static bool (*writer_of(const char *path))(const struct sweep *, FILE *, struct error *)
{
    const char *dot = strrchr(path, '.');
    return strcmp(path, "-") == 0 || (dot && !strcasecmp(dot, ".csv")) ? write_csv
           : dot && !strcasecmp(dot, ".json")                          ? write_json
                                                                       : NULL;
}

static bool write_file(const struct request *request, struct error *error)
{
    const char *path = request->path;
    if (!writer_of(path))
        return write_chart(request, error);
    if (!strcmp(path, "-"))
        return write_csv(&request->sweep, stdout, error);
    struct output output;
    if (!output_open(&output, path, error))
        return false;
    return output_close(&output, writer_of(path)(&request->sweep, output.file, error), error);
}

static void show_progress(size_t done, size_t of)
{
    command_progress(done, of, "recorded");
}

/* Says which points were refused. Returns the exit status. */
static int report_refused(const struct sweep *sweep)
{
    size_t refused = 0, first = 0, share = 0;
    for (size_t i = 0; i < sweep->points; i++) {
        share += in_share(sweep, i);
        if (sweep->point[i].state != SWEEP_REFUSED)
            continue;
        if (refused++ == 0)
            first = i;
    }
    if (refused == 0)
        return 0;
    char where[256] = "";
    for (int i = 0; i < sweep->axes; i++) {
        text_add(where, sizeof where, "%s%s=%s", *where ? " " : "", sweep->axis[i].name,
                 sweep_value(sweep, first, i));
    }
    fprintf(stderr, "bankscope sweep: %zu of %zu combinations were refused; the first, %s: %s\n",
            refused, share, where, sweep->point[first].why);
    return 1;
}

static int sweep(struct request *request)
{
    struct error error = {{0}};
    if (request->path && !writer_of(request->path) &&
        !check_chart(&request->sweep, request->path, &error))
        return command_wrong("sweep", &error);
    if (request->path && !output_may_replace_work(request->path, &error))
        return command_fail("sweep", &error);
    if (!sweep_run(&request->sweep, show_progress, &error))
        return command_fail("sweep", &error);
    if (!request->path || strcmp(request->path, "-"))
        print_table(&request->sweep);
    if (request->path && !write_file(request, &error))
        return command_fail("sweep", &error);
    return report_refused(&request->sweep);
}

/* Takes NAME=VALUES: an axis, or one value. */
static bool take_parameter(const char *text, struct sweep *sweep, struct record_options *options)
{
    struct error error = {{0}};
    const char *equals = strchr(text, '=');
    if (!equals || !sweep_is_list(equals + 1))
        return record_option("sweep", 'p', text, options);
    char *name = memory_copy_of(text, (size_t)(equals - text));
    bool good = sweep_add_axis(sweep, name, equals + 1, &error);
    free(name);
    if (!good)
        command_usage("sweep", "%s", error.text);
    return good;
}

/* "2/8" */
static bool take_shard(const char *text, struct sweep *sweep)
{
    char *end;
    long part = strtol(text, &end, 10), parts = *end == '/' ? strtol(end + 1, &end, 10) : 0;
    if (*end || parts < 1 || part < 1 || part > parts) {
        command_usage("sweep", "--shard is '%s'; it must be I/N, with I from 1 to N", text);
        return false;
    }
    sweep->first = (size_t)part - 1;
    sweep->step = (size_t)parts;
    return true;
}

static bool take_measure(const char *text, struct request *request)
{
    const char *names[MEASURES + 1] = {NULL};
    for (int i = 0; i < MEASURES; i++)
        names[i] = measures[i].name;
    int chosen = command_choice("sweep", "--measure", text, names);
    request->measure = &measures[chosen < 0 ? 0 : chosen];
    return chosen >= 0;
}

/* One --input is the recipe's; several make an axis. */
static bool take_inputs(const char *const *input, int inputs, struct sweep *sweep,
                        struct record_options *options)
{
    if (inputs < 2)
        return inputs == 0 || record_option("sweep", OPTION_INPUT, input[0], options);
    struct error error = {{0}};
    for (int i = 0; i < inputs; i++)
        if (strchr(input[i], ','))
            return command_usage("sweep", "--input %s cannot be one of several", input[i]), false;
    char list[4096] = "";
    for (int i = 0; i < inputs; i++) {
        text_add(list, sizeof list, "%s%s", i ? "," : "", input[i]);
    }
    if (!sweep_add_axis(sweep, "input", list, &error))
        return command_usage("sweep", "%s", error.text), false;
    return true;
}

/* Whether the kernel has all parameters that are swept: said at once, not by every point. */
static bool has_parameters(const struct sweep *sweep, struct error *error)
{
    for (int i = 0; i < sweep->axes; i++) {
        const char *name = sweep->axis[i].name;
        const struct kernel_param *param = sweep->kernel->params;
        while (param->name && strcmp(param->name, name) != 0)
            param++;
        if (!param->name && strcmp(name, "input") != 0 && strcmp(name, "seed") != 0)
            return error_set(error, "%s has no parameter '%s' ('bankscope list %s' shows them)",
                             sweep->kernel->name, name, sweep->kernel->name);
    }
    return true;
}

/* Reads the command line. false: reported. */
static bool read_arguments(int argc, char **argv, struct request *request,
                           struct record_options *options, const char **name, int64_t *jobs)
{
    struct sweep *swept = &request->sweep;
    struct error error = {{0}};
    const char *input[MOST_INPUTS];
    int option, inputs = 0;
    bool good = true;

    while (good && (option = command_option(argc, argv, ":o:p:", sweep_longs)) != -1) {
        if (option == '?')
            good = false;
        else if (option == 'p')
            good = take_parameter(optarg, swept, options);
        else if (option == 'o')
            request->path = optarg;
        else if (option == 's')
            swept->stage = optarg;
        else if (option == 'm')
            good = take_measure(optarg, request);
        else if (option == 'w')
            good = command_number(argv[0], "--width", optarg, 60, 1000, &request->width);
        else if (option == 't')
            good = (request->theme = theme_find(optarg, &error)) ||
                   (command_wrong(argv[0], &error), false);
        else if (option == 'i')
            good = take_shard(optarg, swept);
        else if (option == 'j')
            good = command_number(argv[0], "--jobs", optarg, 1, 1024, jobs);
        else if (option == OPTION_SEED && sweep_is_list(optarg))
            good = sweep_add_axis(swept, "seed", optarg, &error) ||
                   (command_usage(argv[0], "%s", error.text), false);
        else if (option == OPTION_SEED)
            good = record_option(argv[0], OPTION_SEED, optarg, options);
        else if (inputs < MOST_INPUTS)
            input[inputs++] = optarg;
        else
            good = (command_usage(argv[0], "more than %d inputs", MOST_INPUTS), false);
    }
    for (; good && optind < argc; optind++) {
        if (recipe_is_param(argv[optind]))
            good = take_parameter(argv[optind], swept, options);
        else if (*name)
            good = (command_usage(argv[0], "one kernel at a time, not '%s' and '%s'", *name,
                                  argv[optind]),
                    false);
        else
            *name = argv[optind];
    }
    good = good && take_inputs(input, inputs, swept, options);
    if (good && !*name)
        return command_usage(argv[0], "which kernel? 'bankscope list' shows them"), false;
    if (good && swept->axes == 0)
        return command_usage(argv[0], "what is swept? Say NAME=A..B, as in 'bankscope sweep "
                                      "stride s=1..32'"),
               false;
    return good;
}

int command_sweep(int argc, char **argv)
{
    struct record_options options = {.run = {.backend = BACKEND_HOST}};
    struct error error = {{0}};
    struct request request = {.sweep = {.step = 1, .points = 1},
                              .measure = &measures[0],
                              .width = 120,
                              .theme = theme_find("print", &error)};
    struct sweep *swept = &request.sweep;
    const char *name = NULL;
    int64_t jobs = sysconf(_SC_NPROCESSORS_ONLN);
    if (!read_arguments(argc, argv, &request, &options, &name, &jobs)) {
        sweep_free(swept);
        return 2;
    }
    swept->kernel = record_kernel(name, BACKEND_HOST, &error);
    swept->words = &options.words;
    swept->options = &options.run;
    swept->jobs = jobs < 1 ? 1 : (int)jobs;
    int status = swept->kernel && has_parameters(swept, &error) ? sweep(&request)
                                                                : command_fail(argv[0], &error);
    sweep_free(swept);
    return status;
}
