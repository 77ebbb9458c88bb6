/* sweep_options.c - the command line of `bankscope sweep`. */
#include "commands/sweep.h"
#include "program/compile/dialect.h"

#include <stdlib.h>
#include <string.h>

/* NAME=VALUES: an axis, or one value. */
static bool add_parameter(const char *text, struct sweep_request *request)
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
static bool read_share(const char *text, struct sweep *sweep)
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

static bool read_measure(const char *text, struct sweep_request *request)
{
    const char *names[8] = {NULL};
    for (int i = 0; sweep_measures[i].name; i++)
        names[i] = sweep_measures[i].name;
    int chosen = command_choice("sweep", "--measure", text, names);
    request->chart.measure = &sweep_measures[chosen < 0 ? 0 : chosen];
    return chosen >= 0;
}

static bool read_seed(const char *text, struct sweep_request *request)
{
    if (!sweep_is_list(text))
        return record_option("sweep", OPTION_SEED, text, &request->options);
    request->seeds = text;
    return true;
}

/* The last axis, wherever the option stands. */
static bool add_seeds(struct sweep_request *request)
{
    struct error error = {{0}};
    return !request->seeds || sweep_add_axis(&request->sweep, "seed", request->seeds, &error) ||
           (command_usage("sweep", "%s", error.text), false);
}

/* One --input is the recipe's; several make an axis. */
static bool add_inputs(struct sweep_request *request)
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

static bool add_word(const char *word, struct sweep_request *request)
{
    if (recipe_is_param(word) && !request->join)
        return add_parameter(word, request);
    if (request->names == SWEEP_FILES)
        return command_usage("sweep", "more than %d files", SWEEP_FILES), false;
    request->name[request->names++] = word;
    return true;
}

/* One option of charts. */
static bool draw_option(int option, const char *text, struct sweep_request *request)
{
    struct sweep_chart *chart = &request->chart;
    const enum chart_taken taken = chart_option("sweep", option, text, 60, &request->out);
    if (option == 'o')
        return true;
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
    if (taken != CHART_OTHER)
        return taken == CHART_TAKEN;
    switch (option) {
    case OPTION_LOG_X:
        return chart->log_x = true;
    case OPTION_LOG_Y:
        return chart->log_y = true;
    case OPTION_MEASURE:
        return read_measure(text, request);
    case OPTION_NAME:
        if (chart->names < SWEEP_NAMES)
            chart->name[chart->names++] = text;
        return true;
    default:
        *texts[option - OPTION_RELATIVE] = text;
        return true;
    }
}

static bool sweep_option(int option, const char *text, struct sweep_request *request)
{
    struct sweep *sweep = &request->sweep;
    switch (option) {
    case '?':
        return false;
    case 'p':
        return add_parameter(text, request);
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
        return read_share(text, sweep);
    case OPTION_JOIN:
        return request->join = true;
    case OPTION_SEED:
        return read_seed(text, request);
    case OPTION_INPUT:
        if (request->inputs == SWEEP_INPUTS)
            return command_usage("sweep", "more than %d inputs", SWEEP_INPUTS), false;
        request->input[request->inputs++] = text;
        return true;
    default:
        return draw_option(option, text, request);
    }
}

/* Whether all that is said is for programs. false: reported. */
static bool check_program(const char *command, const struct sweep_request *request)
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

bool sweep_read_arguments(int argc, char **argv, struct sweep_request *request)
{
    const struct sweep *sweep = &request->sweep;
    bool good = true;
    int option;
    while (good && (option = command_option(argc, argv, ":o:p:", sweep_longs)) != -1)
        good = sweep_option(option, optarg, request);
    for (; good && optind < argc; optind++)
        good = add_word(argv[optind], request);
    good = good && add_inputs(request) && add_seeds(request);
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

/* ---- kernels ---- */

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

bool sweep_find_kernels(struct sweep_request *request, struct error *error)
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
