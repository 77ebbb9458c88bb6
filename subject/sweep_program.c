/* sweep_program.c - sweeps of CUDA programs as they stand: each combination is the program compiled, called
 * and run with other words.
 *
 * -D NAME=0..4 defines NAME as each of these; NAME=0..4 puts them where {NAME} stands: in launches (--call), in
 * arrays and in the program's own arguments.
 */
#include "subject/sweep_program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option program_longs[] = {PROGRAM_CHOICE, {NULL, 0, NULL, 0}};

/* The option of that word, "--name" or "--name=value"; NULL: none of these. */
static const struct option *find_option(const struct option *longs, const char *word)
{
    size_t length = strcspn(word, "=");
    for (; longs->name; longs++)
        if (length > 2 && !strncmp(word, "--", 2) && strlen(longs->name) == length - 2 &&
            !strncmp(longs->name, word + 2, length - 2))
            return longs;
    return NULL;
}

static void keep(struct sweep_program *program, const char *word)
{
    if (program->words < SWEEP_WORDS)
        program->word[program->words] = word;
    program->words++;
}

/* "-DNAME=0..4": the rest becomes an axis, and the word "-DNAME={NAME}". */
static bool take_macro(struct sweep_program *program, char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || !sweep_is_list(equals + 1) || !recipe_is_param(text) ||
        program->macros == SWEEP_AXES)
        return false;
    int length = (int)(equals - text);
    char *word = memory_new(2 * (size_t)length + 8, 1);
    sprintf(word, "-D%.*s={%.*s}", length, text, length, text);
    program->macro[program->macros++] = word;
    keep(program, word);
    return true;
}

void sweep_program_split(struct sweep_program *program, const struct option *longs, int *argc,
                         char **argv)
{
    int to = 1, i = 1;
    for (; i < *argc && strcmp(argv[i], "--"); i++) {
        const struct option *own = find_option(longs, argv[i]);
        const struct option *other = own ? NULL : find_option(program_longs, argv[i]);
        bool apart = i + 1 < *argc && !strchr(argv[i], '=');
        bool macro = !strncmp(argv[i], "-D", 2);
        char *text = macro && argv[i][2] ? argv[i] + 2 : macro && apart ? argv[i + 1] : NULL;
        if (text && take_macro(program, text)) {
            i += text == argv[i + 1];
            argv[to++] = text;
        } else if (own || !strcmp(argv[i], "-o")) {
            argv[to++] = argv[i];
            if (apart && (!own || own->has_arg == required_argument))
                argv[to++] = argv[++i];
        } else if (recipe_is_param(argv[i])) {
            argv[to++] = argv[i];
        } else {
            keep(program, argv[i]);
            if (apart && (!strcmp(argv[i], "-D") || (other && other->has_arg == required_argument)))
                keep(program, argv[++i]);
            else if (argv[i][0] != '-' && !program->name)
                program->name = argv[i];
        }
    }
    for (; i < *argc; i++)
        keep(program, argv[i]);
    argv[ *argc = to] = NULL;
}

void sweep_program_free(struct sweep_program *program)
{
    for (int i = 0; i < program->macros; i++)
        free(program->macro[i]);
}

/* A word with the point's values for {NAME}. To be freed. */
static char *fill_in(const struct sweep *sweep, size_t point, const char *word)
{
    char text[8192] = "";
    while (*word) {
        size_t plain = strcspn(word, "{"), length = strcspn(word + plain, "}");
        int axis = -1;
        text_add(text, sizeof text, "%.*s", (int)plain, word);
        word += plain;
        for (int i = 0; i < sweep->axes && *word && word[length]; i++)
            if (strlen(sweep->axis[i].name) == length - 1 &&
                !strncmp(sweep->axis[i].name, word + 1, length - 1))
                axis = i;
        if (axis >= 0)
            text_add(text, sizeof text, "%s", sweep_value(sweep, point, axis));
        else if (*word)
            text_add(text, sizeof text, "{");
        word += axis >= 0 ? length + 1 : *word != '\0';
    }
    return memory_copy(text);
}

/* Adds up all launches. */
struct adder {
    const struct sweep *sweep;
    struct sweep_point *point;
    struct stats stats;
    int launches;
};

static bool adder_begin(void *context, const struct program_launch *launch, struct trace_sink *sink,
                        struct error *error)
{
    struct adder *adder = context;
    (void)launch, (void)error;
    stats_init(&adder->stats, STATS_BY_STAGE);
    *sink = stats_sink(&adder->stats);
    return true;
}

static bool adder_end(void *context, struct error *error)
{
    struct adder *adder = context;
    bool good = sweep_add_stats(adder->sweep, &adder->stats, adder->point, error);
    adder->launches++;
    stats_free(&adder->stats);
    return good;
}

static bool run_program(int argc, char **argv, struct adder *adder, struct error *error)
{
    struct program_options options = {.output = NULL};
    struct launch_taker taker = {adder_begin, adder_end, adder, NULL, NULL, ""};
    optind = 0; /* getopt_long begins anew */
    int status = program_read(argc, argv, ":" PROGRAM_SHORT, program_longs, &options)
                     ? program_record_each("sweep", &options, &taker, error)
                     : -1;
    program_options_free(&options);
    if (status < 0)
        return error->text[0] ? false : error_set(error, "its words are not those of a program");
    if (status > 0)
        return error_set(error, "it ended with status %d, or has faults; run it alone", status);
    return adder->launches || error_set(error, "none of its kernels used shared memory");
}

static bool record_point(void *context, const struct sweep *sweep, size_t at,
                         struct sweep_point *point, struct error *error)
{
    const struct sweep_program *program = context;
    struct adder adder = {.sweep = sweep, .point = point};
    char *words[SWEEP_WORDS + 2] = {"sweep"};
    char *filled[SWEEP_WORDS + 1];
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC), argc = 1;
    if (null >= 0) /* this process records, and says nothing: what programs print, neither */
        dup2(null, STDERR_FILENO);
    for (int i = 0; i < program->words; i++)
        words[argc++] = filled[i] = fill_in(sweep, at, program->word[i]);
    bool good = run_program(argc, words, &adder, error);
    for (int i = 0; i < program->words; i++)
        free(filled[i]);
    if (null >= 0)
        close(null);
    return good;
}

void sweep_program_set(struct sweep_program *program, struct sweep *sweep)
{
    char text[4096] = "";
    if (!program->words)
        return;
    for (int i = 0; i < program->words; i++)
        text_add(text, sizeof text, "%s%s", i ? " " : "", program->word[i]);
    free(sweep->fixed);
    sweep->fixed = memory_copy(text);
    sweep->record = record_point;
    sweep->context = program;
    sweep->name[sweep->kernels++] = memory_copy(program->name);
}
