/* sweep.c - record kernels with many sets of parameters: a table, a file, a chart. */
#include "commands/command.h"
#include "papers/sweep_chart.h"
#include "program/compile/dialect.h"
#include "subject/sweep_program.h"
#include "system/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char sweep_help[] =
    "usage: bankscope sweep KERNEL... NAME=VALUES... [options] [-o FILE]\n"
    "       bankscope sweep FILE.cu... [-D NAME=VALUES]... [NAME=VALUES]... [options] [-- ARGS]\n"
    "       bankscope sweep --join FILE.sweep... [options] [-o FILE]\n"
    "\n"
    "Records kernels with every combination of parameters, on all processors, and prints a row\n"
    "for each. VALUES are A..B, A..B..STEP, A..B*FACTOR or a list such as 15,17; a parameter may\n"
    "also have one value, as in 'run'. To sweep inputs or seeds, too, give --input several times,\n"
    "or --seed A..B. KERNEL may also be a FILE.cu of your own, in the same dialect.\n"
    "\n"
    "A CUDA program as it stands is compiled and run for each combination, with its words as in\n"
    "'run'; -D NAME=VALUES defines NAME, and NAME=VALUES stands for {NAME} in --call, --array and\n"
    "the program's arguments. What is counted are all launches. Files of your own run natively,\n"
    "as you: sweep only what you trust.\n"
    "\n"
    "  NAME=VALUES        a parameter of the kernels; -p NAME=VALUES is the same\n"
    "  --input INPUT      as in 'run'; give it several times to sweep inputs\n"
    "  --seed SEEDS       a seed, or several\n"
    "  --stage STAGE      count this stage (default: the whole kernel)\n"
    "  --jobs N           recordings at a time (default: one per processor)\n"
    "  -o FILE            write .csv, .json, a chart (.pdf, .svg, .png, .tex for pgfplots), or\n"
    "                     .sweep: a row as soon as it is there; given again, that sweep goes on\n"
    "                     where it was\n"
    "  --share, --shard I/N\n"
    "                     do every N-th combination, from the I-th, on one of N machines\n"
    "  --join             put the .sweep files of all shares together: what is written is what\n"
    "                     one machine would have written; says what is missing\n"
    "\n"
    "Of a chart:\n"
    "  --measure WHAT     conflicts (the default), passes, ways or per-access (passes per warp\n"
    "                     access)\n"
    "  --per NAME*...     conflicts and passes divided by these parameters: n, or u*E*blocks\n"
    "  --relative-to NAME=VALUE\n"
    "                     percent of the curve that has this value: kernel=thrust-merge,\n"
    "                     input=random\n"
    "  --x NAME           its x axis (default: the first that is swept and has numbers); seeds\n"
    "                     are repetitions, drawn as their mean with bars from the least to the\n"
    "                     most; the others are its curves\n"
    "  --each-seed        seeds are curves, too\n"
    "  --log-x, --log-y   logarithms; x is one by itself where it doubles\n"
    "  --title, --x-label, --y-label TEXT\n"
    "  --name TEXT        of a curve, in their order; may be given several times\n"
    "  --width MM         its width in millimetres, 60 to 1000 (default 120)\n"
    "  --theme THEME      its colours: print (the default), light or dark\n"
    "\n"
    "examples:\n"
    "  bankscope sweep stride s=1..32\n"
    "  bankscope sweep thrust-merge cf-merge w=16 u=64 E=3..9..2 --input random --input worst "
    "-o E.pdf\n"
    "  bankscope sweep thrust-merge u=64 E=3..17..2 --seed 1..5 --per u*E -o seeds.pdf\n"
    "  bankscope sweep stride s=1..32 --share 2/8 -o 2.sweep\n";

enum {
    OPTION_SHARE = OPTION_FIRST_FREE,
    OPTION_JOIN,
    OPTION_PER,
    OPTION_RELATIVE,
    OPTION_X,
    OPTION_EACH_SEED,
    OPTION_LOG_X,
    OPTION_LOG_Y,
    OPTION_TITLE,
    OPTION_X_LABEL,
    OPTION_Y_LABEL,
    OPTION_NAME,
    OPTION_MEASURE,
    OPTION_WIDTH,
    OPTION_THEME
};
const struct option sweep_longs[] = {{"input", required_argument, NULL, OPTION_INPUT},
                                     {"seed", required_argument, NULL, OPTION_SEED},
                                     {"stage", required_argument, NULL, 's'},
                                     {"measure", required_argument, NULL, OPTION_MEASURE},
                                     {"per", required_argument, NULL, OPTION_PER},
                                     {"relative-to", required_argument, NULL, OPTION_RELATIVE},
                                     {"x", required_argument, NULL, OPTION_X},
                                     {"each-seed", no_argument, NULL, OPTION_EACH_SEED},
                                     {"log-x", no_argument, NULL, OPTION_LOG_X},
                                     {"log-y", no_argument, NULL, OPTION_LOG_Y},
                                     {"title", required_argument, NULL, OPTION_TITLE},
                                     {"x-label", required_argument, NULL, OPTION_X_LABEL},
                                     {"y-label", required_argument, NULL, OPTION_Y_LABEL},
                                     {"name", required_argument, NULL, OPTION_NAME},
                                     {"jobs", required_argument, NULL, 'j'},
                                     {"share", required_argument, NULL, OPTION_SHARE},
                                     {"shard", required_argument, NULL, OPTION_SHARE},
                                     {"join", no_argument, NULL, OPTION_JOIN},
                                     {"output", required_argument, NULL, 'o'},
                                     {"width", required_argument, NULL, OPTION_WIDTH},
                                     {"theme", required_argument, NULL, OPTION_THEME},
                                     {NULL, 0, NULL, 0}};

enum { MOST_INPUTS = 64, MOST_FILES = 4096 };
struct request {
    struct sweep sweep;
    struct sweep_chart chart;
    struct record_options options;
    const char *seeds;            /* several, or NULL */
    const char *path, *drawn;     /* drawn: the last option given that is for charts */
    struct sweep_program program; /* words: 0: none, but kernels */
    bool join;
    int64_t jobs;
    const char *input[MOST_INPUTS], *name[MOST_FILES]; /* kernels, or files to join */
    int inputs, names;
};

/* ---- writing ----------------------------------------------------------------------------------- */

static bool write_table(const struct request *request, struct error *error)
{
    const sweep_writer writer = sweep_writer_of(request->path);
    struct output output;
    if (!strcmp(request->path, "-"))
        return writer(&request->sweep, stdout, error);
    return output_open(&output, request->path, error) &&
           output_close(&output, writer(&request->sweep, output.file, error), error);
}

static bool check_chart(const struct request *request, struct error *error)
{
#ifdef HAVE_CAIRO
    return sweep_chart_check(&request->sweep, &request->chart, error);
#else
    return error_set(error, "%s: charts are left out of this build; write .csv or .json",
                     request->path);
#endif
}

static bool write_chart(const struct request *request, struct error *error)
{
#ifdef HAVE_CAIRO
    struct drawing_flaws flaws;
    size_t gone = 0;
    bool good = sweep_chart_write(&request->sweep, &request->chart, &gone, &flaws, error);
    if (good)
        command_warn_flaws("sweep", flaws);
    if (good && gone)
        fprintf(stderr,
                "bankscope sweep: %zu value%s not in the chart: 0 has no place on a logarithm, and "
                "nothing is percent of 0\n",
                gone, gone == 1 ? " is" : "s are");
    return good;
#else
    return check_chart(request, error);
#endif
}

static bool write_file(const struct request *request, struct error *error)
{
    if (sweep_file_is_asked(request->path))
        return true;
    if (sweep_writer_of(request->path))
        return write_table(request, error);
    return write_chart(request, error);
}

/* Whether what is asked for can be written there. Returns the exit status. */
static int check_path(const struct request *request)
{
    struct error error = {{0}};
    const char *path = request->path;
    bool chart = path && !sweep_writer_of(path) && !sweep_file_is_asked(path);
    if (path && request->join && sweep_file_is_asked(path))
        return command_usage("sweep", "%s: what is joined is written as a table or a chart", path);
    if (request->drawn && !chart)
        return command_usage("sweep", "--%s is for charts, as with -o FILE.pdf", request->drawn);
    if (chart && !check_chart(request, &error))
        return command_wrong("sweep", &error);
    if (path && !sweep_file_is_asked(path) && !output_may_replace_work(path, &error))
        return command_fail("sweep", &error);
    return 0;
}

/* ---- reporting ----------------------------------------------------------------------------------- */

static void show_progress(size_t done, size_t of)
{
    command_progress(done, of, "recorded");
}

/* Says how many points are in that state, and which is the first. Returns how many. */
static size_t report(const struct sweep *sweep, enum sweep_state state, const char *what)
{
    size_t count = 0, first = 0, share = 0;
    char where[512] = "";
    for (size_t i = 0; i < sweep->points; i++) {
        share += sweep_in_share(sweep, i);
        if (sweep->point[i].state == state && sweep_in_share(sweep, i) && count++ == 0)
            first = i;
    }
    if (count == 0)
        return 0;
    for (int i = 0; i < sweep->axes; i++)
        text_add(where, sizeof where, "%s%s=%.80s", *where ? " " : "", sweep->axis[i].name,
                 sweep_value(sweep, first, i));
    const char *why = sweep->point[first].why;
    fprintf(stderr, "bankscope sweep: %zu of %zu combinations %s; the first, %s%s%s\n", count,
            share, what, where, *why ? ": " : "", why);
    return count;
}

static int finish(const struct request *request)
{
    const struct sweep *sweep = &request->sweep;
    struct error error = {{0}};
    if (!request->path || strcmp(request->path, "-"))
        sweep_print(sweep);
    if (request->path && !write_file(request, &error))
        return command_fail("sweep", &error);
    size_t bad = report(sweep, SWEEP_REFUSED, "were refused");
    if (request->join)
        bad += report(sweep, SWEEP_NOT_RUN, "are missing");
    return bad > 0;
}

/* ---- doing ------------------------------------------------------------------------------------- */

/* Records what is asked for. Returns the exit status. */
static int record(struct request *request)
{
    struct sweep *sweep = &request->sweep;
    struct error error = {{0}};
    int status = check_path(request);
    if (status)
        return status;
    bool good = !request->path || !sweep_file_is_asked(request->path) ||
                sweep_file_open(sweep, request->path, &error);
    good = good && sweep_run(sweep, show_progress, &error);
    good = sweep_file_close(sweep, &error) && good;
    return good ? finish(request) : command_fail("sweep", &error);
}

static int join(struct request *request)
{
    struct error error = {{0}};
    for (int i = 0; i < request->names; i++)
        if (!sweep_join(&request->sweep, request->name[i], &error))
            return command_fail("sweep", &error);
    int status = check_path(request);
    return status ? status : finish(request);
}

/* ---- arguments ----------------------------------------------------------------------------------- */

/* Takes NAME=VALUES: an axis, or one value. */
static bool take_parameter(const char *text, struct request *request)
{
    struct error error = {{0}};
    const char *equals = strchr(text, '=');
    if (!equals || !sweep_is_list(equals + 1))
        return record_option("sweep", 'p', text, &request->options);
    char *name = memory_copy_of(text, (size_t)(equals - text));
    bool good = sweep_add_axis(&request->sweep, name, equals + 1, &error);
    free(name);
    if (!good)
        command_usage("sweep", "%s", error.text);
    return good;
}

/* "2/8" */
static bool take_share(const char *text, struct sweep *sweep)
{
    char *end;
    long part = strtol(text, &end, 10), parts = *end == '/' ? strtol(end + 1, &end, 10) : 0;
    if (*end || parts < 1 || part < 1 || part > parts) {
        command_usage("sweep", "--share is '%s'; it must be I/N, with I from 1 to N", text);
        return false;
    }
    sweep->first = (size_t)part - 1;
    sweep->step = (size_t)parts;
    return true;
}

static bool take_measure(const char *text, struct request *request)
{
    const char *names[8] = {NULL};
    for (int i = 0; sweep_measures[i].name; i++)
        names[i] = sweep_measures[i].name;
    int chosen = command_choice("sweep", "--measure", text, names);
    request->chart.measure = &sweep_measures[chosen < 0 ? 0 : chosen];
    return chosen >= 0;
}

static bool take_seed(const char *text, struct request *request)
{
    if (!sweep_is_list(text))
        return record_option("sweep", OPTION_SEED, text, &request->options);
    request->seeds = text;
    return true;
}

/* The last axis, wherever the option stands. */
static bool take_seeds(struct request *request)
{
    struct error error = {{0}};
    return !request->seeds || sweep_add_axis(&request->sweep, "seed", request->seeds, &error) ||
           (command_usage("sweep", "%s", error.text), false);
}

/* One --input is the recipe's; several make an axis. */
static bool take_inputs(struct request *request)
{
    const char *const *input = request->input;
    if (request->inputs < 2)
        return request->inputs == 0 ||
               record_option("sweep", OPTION_INPUT, input[0], &request->options);
    struct error error = {{0}};
    for (int i = 0; i < request->inputs; i++)
        if (strchr(input[i], ','))
            return command_usage("sweep", "--input %s cannot be one of several", input[i]), false;
    char list[4096] = "";
    for (int i = 0; i < request->inputs; i++)
        text_add(list, sizeof list, "%s%s", i ? "," : "", input[i]);
    if (!sweep_add_axis(&request->sweep, "input", list, &error))
        return command_usage("sweep", "%s", error.text), false;
    return true;
}

static bool take_word(const char *word, struct request *request)
{
    if (recipe_is_param(word) && !request->join)
        return take_parameter(word, request);
    if (request->names == MOST_FILES)
        return command_usage("sweep", "more than %d files", MOST_FILES), false;
    request->name[request->names++] = word;
    return true;
}

/* Takes one option of charts. */
static bool take_chart(int option, const char *text, struct request *request)
{
    struct sweep_chart *chart = &request->chart;
    struct error error = {{0}};
    const char **const texts[] = {
        [OPTION_RELATIVE - OPTION_RELATIVE] = &chart->relative,
        [OPTION_X - OPTION_RELATIVE] = &chart->x,
        [OPTION_TITLE - OPTION_RELATIVE] = &chart->title,
        [OPTION_X_LABEL - OPTION_RELATIVE] = &chart->x_label,
        [OPTION_Y_LABEL - OPTION_RELATIVE] = &chart->y_label,
    };
    const struct option *row = sweep_longs;
    while (row->val != option)
        row++;
    request->drawn = row->name;
    switch (option) {
    case OPTION_EACH_SEED:
        return chart->each_seed = true;
    case OPTION_LOG_X:
        return chart->log_x = true;
    case OPTION_LOG_Y:
        return chart->log_y = true;
    case OPTION_MEASURE:
        return take_measure(text, request);
    case OPTION_WIDTH:
        return command_number("sweep", "--width", text, 60, 1000, &chart->width);
    case OPTION_THEME:
        chart->theme = theme_find(text, &error);
        return chart->theme || (command_wrong("sweep", &error), false);
    case OPTION_NAME:
        if (chart->names < SWEEP_NAMES)
            chart->name[chart->names++] = text;
        return true;
    default:
        *texts[option - OPTION_RELATIVE] = text;
        return true;
    }
}

static bool take_option(int option, const char *text, struct request *request)
{
    struct sweep *sweep = &request->sweep;
    switch (option) {
    case '?':
        return false;
    case 'p':
        return take_parameter(text, request);
    case 'o':
        request->path = request->chart.path = text;
        return true;
    case 's':
        free(sweep->stage);
        sweep->stage = memory_copy(text);
        return true;
    case 'j':
        return command_number("sweep", "--jobs", text, 1, 1024, &request->jobs);
    case OPTION_PER:
        free(sweep->per);
        sweep->per = memory_copy(text);
        return true;
    case OPTION_SHARE:
        return take_share(text, sweep);
    case OPTION_JOIN:
        return request->join = true;
    case OPTION_SEED:
        return take_seed(text, request);
    case OPTION_INPUT:
        if (request->inputs == MOST_INPUTS)
            return command_usage("sweep", "more than %d inputs", MOST_INPUTS), false;
        request->input[request->inputs++] = text;
        return true;
    default:
        return take_chart(option, text, request);
    }
}

/* Whether a kernel has all parameters that are swept: said at once, not by every point. */
static bool has_parameters(const struct sweep *sweep, const struct kernel *kernel,
                           struct error *error)
{
    for (int i = 0; i < sweep->axes; i++) {
        const char *name = sweep->axis[i].name;
        const struct kernel_param *param = kernel->params;
        while (param->name && strcmp(param->name, name) != 0)
            param++;
        if (!param->name && strcmp(name, "input") && strcmp(name, "seed") && strcmp(name, "kernel"))
            return error_set(error, "%s has no parameter '%s' ('bankscope list %s' shows them)",
                             kernel->name, name, kernel->name);
    }
    return true;
}

/* Whether all that is said is for programs. false: reported. */
static bool check_program(const char *command, const struct request *request)
{
    const struct sweep *sweep = &request->sweep;
    if (request->program.words > SWEEP_WORDS)
        return command_usage(command, "more than %d words for a program", SWEEP_WORDS), false;
    if (request->names || request->inputs || request->seeds || request->options.words.count ||
        sweep->per)
        return command_usage(command,
                             "%s is a CUDA program, which is swept alone, by -D NAME=0..4 and by "
                             "NAME=0..4 for {NAME} in its words, without inputs, seeds or --per",
                             request->program.name ? request->program.name : "this"),
               false;
    return true;
}

/* Reads the command line. false: reported. */
static bool read_arguments(int argc, char **argv, struct request *request)
{
    const struct sweep *sweep = &request->sweep;
    bool good = true;
    int option;
    while (good && (option = command_option(argc, argv, ":o:p:", sweep_longs)) != -1)
        good = take_option(option, optarg, request);
    for (; good && optind < argc; optind++)
        good = take_word(argv[optind], request);
    good = good && take_inputs(request) && take_seeds(request);
    if (!good)
        return false;
    if (request->join && (sweep->axes || request->inputs || request->options.words.count ||
                          sweep->stage || sweep->per || sweep->step > 1))
        return command_usage(argv[0], "--join takes files of a sweep, which say what was swept"),
               false;
    if (request->program.words && !check_program(argv[0], request))
        return false;
    if (!request->names && !request->program.words)
        return command_usage(argv[0], request->join
                                          ? "which files? those of 'sweep --share I/N -o I.sweep'"
                                          : "which kernel? 'bankscope list' shows them"),
               false;
    if (!request->join && sweep->axes == 0 && request->names < 2)
        return command_usage(argv[0], "what is swept? Say NAME=A..B, as in 'bankscope sweep "
                                      "stride s=1..32'"),
               false;
    return true;
}

/* What records a program's points, if there is one. */
static void take_program(struct request *request)
{
#ifdef HAVE_DW
    struct sweep *sweep = &request->sweep;
    char text[4096] = "";
    if (!request->program.words)
        return;
    for (int i = 0; i < request->program.words; i++)
        text_add(text, sizeof text, "%s%s", i ? " " : "", request->program.word[i]);
    free(sweep->fixed);
    sweep->fixed = memory_copy(text);
    sweep->record = sweep_program_record;
    sweep->context = &request->program;
    sweep->name[sweep->kernels++] = memory_copy(request->program.name);
#else
    (void)request;
#endif
}

static bool find_kernels(struct request *request, struct error *error)
{
    struct sweep *sweep = &request->sweep;
    for (int i = 0; i < request->names; i++) {
        const struct kernel *kernel = dialect_kernel(request->name[i], BACKEND_HOST, error);
        if (!kernel || !has_parameters(sweep, kernel, error) ||
            !sweep_add_kernel(sweep, kernel, error))
            return false;
    }
    return true;
}

int command_sweep(int argc, char **argv)
{
    struct error error = {{0}};
    char program[64];
    struct request request = {
        .sweep = {.step = 1, .points = 1, .program = command_program(program)},
        .chart = {.measure = &sweep_measures[0],
                  .width = 120,
                  .theme = theme_find("print", &error)},
        .options = {.run = {.backend = BACKEND_HOST}},
        .jobs = sysconf(_SC_NPROCESSORS_ONLN)};
    struct sweep *sweep = &request.sweep;
    request.chart.program = program;
    command_words(argc, argv, request.chart.origin, sizeof request.chart.origin);
#ifdef HAVE_DW
    if (program_asked(argc, argv))
        sweep_program_split(&request.program, sweep_longs, &argc, argv);
#endif
    int status = 2;
    if (read_arguments(argc, argv, &request)) {
        sweep->words = &request.options.words;
        sweep->options = &request.options.run;
        sweep->jobs = request.jobs < 1 ? 1 : (int)request.jobs;
        if (request.join) {
            status = join(&request);
        } else {
            sweep_fix(sweep);
            take_program(&request);
            status =
                find_kernels(&request, &error) ? record(&request) : command_fail(argv[0], &error);
        }
    }
#ifdef HAVE_DW
    sweep_program_free(&request.program);
#endif
    sweep_free(sweep);
    return status;
}
