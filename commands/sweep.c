/* sweep.c - record kernels with many sets of parameters: a table, a file, a chart. */
#include "commands/sweep.h"
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
    "  --share I/N        do every N-th combination, from the I-th, on one of N machines\n"
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

const struct option sweep_longs[] = {{"input", required_argument, NULL, OPTION_INPUT},
                                     {"seed", required_argument, NULL, OPTION_SEED},
                                     {"stage", required_argument, NULL, 's'},
                                     {"measure", required_argument, NULL, OPTION_MEASURE},
                                     {"per", required_argument, NULL, OPTION_PER},
                                     {"relative-to", required_argument, NULL, OPTION_RELATIVE},
                                     {"x", required_argument, NULL, OPTION_X},
                                     {"log-x", no_argument, NULL, OPTION_LOG_X},
                                     {"log-y", no_argument, NULL, OPTION_LOG_Y},
                                     {"title", required_argument, NULL, OPTION_TITLE},
                                     {"x-label", required_argument, NULL, OPTION_X_LABEL},
                                     {"y-label", required_argument, NULL, OPTION_Y_LABEL},
                                     {"name", required_argument, NULL, OPTION_NAME},
                                     {"jobs", required_argument, NULL, 'j'},
                                     {"share", required_argument, NULL, OPTION_SHARE},
                                     {"join", no_argument, NULL, OPTION_JOIN},
                                     CHART_OPTIONS,
                                     {NULL, 0, NULL, 0}};

/* ---- writing ----------------------------------------------------------------------------------- */

static bool put_table(FILE *file, void *context, struct error *error)
{
    const struct sweep_request *request = context;
    return sweep_writer_of(request->out.path)(&request->sweep, file, error);
}

static bool check_chart(const struct sweep_request *request, struct error *error)
{
#ifdef HAVE_CAIRO
    return sweep_chart_check(&request->sweep, &request->chart, request->out.path, error);
#else
    return error_set(error, "%s: charts are left out of this build; write .csv or .json",
                     request->out.path);
#endif
}

static bool write_chart(const struct sweep_request *request, struct error *error)
{
#ifdef HAVE_CAIRO
    const struct plot_output output = chart_output(&request->out);
    struct drawing_flaws flaws;
    size_t gone = 0;
    bool good = sweep_chart_write(&request->sweep, &request->chart, &output, &gone, &flaws, error);
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

static bool write_file(const struct sweep_request *request, struct error *error)
{
    if (sweep_file_is_asked(request->out.path))
        return true;
    if (sweep_writer_of(request->out.path))
        return output_put(request->out.path, put_table, (void *)(uintptr_t)request, error);
    return write_chart(request, error);
}

/* Whether what is asked for can be written there. Returns the exit status. */
static int check_path(const struct sweep_request *request)
{
    struct error error = {{0}};
    const char *path = request->out.path;
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

static int finish_sweep(const struct sweep_request *request)
{
    const struct sweep *sweep = &request->sweep;
    struct error error = {{0}};
    if (!request->out.path || strcmp(request->out.path, "-"))
        sweep_print(sweep);
    if (request->out.path && !write_file(request, &error))
        return command_fail("sweep", &error);
    size_t bad = report(sweep, SWEEP_REFUSED, "were refused");
    if (request->join)
        bad += report(sweep, SWEEP_NOT_RUN, "are missing");
    return bad > 0;
}

/* ---- doing ------------------------------------------------------------------------------------- */

/* Records what is asked for. Returns the exit status. */
static int record_sweep(struct sweep_request *request)
{
    struct sweep *sweep = &request->sweep;
    struct error error = {{0}};
    int status = check_path(request);
    if (status)
        return status;
    bool good = !request->out.path || !sweep_file_is_asked(request->out.path) ||
                sweep_file_open(sweep, request->out.path, &error);
    good = good && sweep_run(sweep, show_progress, &error);
    good = sweep_file_close(sweep, &error) && good;
    return good ? finish_sweep(request) : command_fail("sweep", &error);
}

static int join(struct sweep_request *request)
{
    struct error error = {{0}};
    for (int i = 0; i < request->names; i++)
        if (!sweep_join(&request->sweep, request->name[i], &error))
            return command_fail("sweep", &error);
    int status = check_path(request);
    return status ? status : finish_sweep(request);
}

int command_sweep(int argc, char **argv)
{
    struct error error = {{0}};
    struct sweep_request request = {.sweep = {.step = 1, .points = 1},
                                    .chart = {.measure = &sweep_measures[0]},
                                    .out = {.width = 120},
                                    .options = {.run = {.backend = BACKEND_HOST}},
                                    .jobs = sysconf(_SC_NPROCESSORS_ONLN)};
    struct sweep *sweep = &request.sweep;
    sweep->program = command_program(request.out.program);
    command_words(argc, argv, request.out.origin, sizeof request.out.origin);
#ifdef HAVE_DW
    if (program_asked(argc, argv))
        sweep_program_split(&request.program, sweep_longs, &argc, argv);
#endif
    int status = 2;
    if (sweep_read_arguments(argc, argv, &request)) {
        sweep->words = &request.options.words;
        sweep->options = &request.options.run;
        sweep->jobs = request.jobs < 1 ? 1 : (int)request.jobs;
        if (request.join) {
            status = join(&request);
        } else {
            sweep_fix(sweep);
#ifdef HAVE_DW
            sweep_program_set(&request.program, sweep);
#endif
            status = sweep_find_kernels(&request, &error) ? record_sweep(&request)
                                                          : command_fail(argv[0], &error);
        }
    }
#ifdef HAVE_DW
    sweep_program_free(&request.program);
#endif
    sweep_free(sweep);
    return status;
}
