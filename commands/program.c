/* program.c - CUDA programs as they stand: `run` builds one, runs it and prints its conflicts by line;
 * `advise` and `view` go on with one of its launches. */
#include "commands/command.h"
#include "hostcuda/driver.h"

#include <cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a word is a source that g++ takes. */
static bool is_source(const char *word)
{
    static const char *const ends[] = {".cu", ".cpp", ".cc", ".cxx", ".c", ".o", ".a"};
    const char *dot = strrchr(word, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(dot, ends[i]))
            return *word != '-';
    return false;
}

static bool is_cuda(const char *word)
{
    size_t length = strlen(word);
    return length > 3 && !strcmp(word + length - 3, ".cu") && *word != '-';
}

bool program_asked(int argc, char **argv)
{
    bool sources = false, part = false, more = false;
    int i;
    for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        bool value = i > 1 && (!strcmp(argv[i - 1], "-o") || !strcmp(argv[i - 1], "--output"));
        if (is_cuda(argv[i]) && !value) {
            enum program_kind kind = program_kind(argv[i]);
            if (kind == PROGRAM_DIALECT)
                return false;
            sources |= kind == PROGRAM_PLAIN || access(argv[i], F_OK);
            part |= kind == PROGRAM_NEITHER; /* what it includes may have the kernels */
        } else if (!value) {
            more |= is_source(argv[i]);
        }
    }
    return sources || (part && more) ||
           (!strcmp(argv[0], "run") && i + 1 < argc && strchr(argv[i + 1], '/') &&
            !is_cuda(argv[i + 1]));
}

/* ---- the command line ------------------------------------------------------------------------ */

static bool add_word(struct program_request *request, const char *command, const char *letter,
                     const char *value)
{
    if (request->words == PROGRAM_MOST)
        return command_usage(command, "more than %d words for the compiler", PROGRAM_MOST), false;
    size_t room = strlen(letter) + strlen(value) + 1;
    char *word = memory_new(room, 1);
    snprintf(word, room, "%s%s", letter, value);
    request->word[request->words++] = word;
    return true;
}

void program_options_free(struct program_options *options)
{
    free((char *)(uintptr_t)options->choice.blocks);
    options->choice.blocks = NULL;
    while (options->request.words > 0)
        free((char *)(uintptr_t)options->request.word[--options->request.words]);
}

/* "A-B" or "A" */
static bool take_blocks(const char *command, const char *text, struct record_choice *choice)
{
    char *end;
    unsigned long long first = strtoull(text, &end, 10), last = first;
    bool good = end != text;
    if (good && *end == '-') {
        const char *second = end + 1;
        last = strtoull(second, &end, 10);
        good = end != second;
    }
    if (!good || *end || *text == '-' || last < first)
        return command_usage(command, "--blocks is '%s'; it must be A-B, as in 0-3", text), false;
    enum { ROOM = 48 };
    char *range = memory_new(ROOM, 1);
    snprintf(range, ROOM, "%llu-%llu", first, last);
    free((char *)(uintptr_t)choice->blocks);
    choice->blocks = range; /* freed with the options */
    return true;
}

bool program_has_option(int option)
{
    return option >= PROGRAM_KERNEL ||
           (option > 1 && option < 256 && strchr(PROGRAM_SHORT, option));
}

bool program_option(const char *command, int option, const char *text,
                    struct program_options *options)
{
    static const char *const rows[] = {"line", "array", "stage", "round", NULL};
    int64_t number;
    regex_t regex;
    struct error error = {{0}};
    switch (option) {
    case 'O':
    case 'g':
        return true; /* of a compiler's command line; how we compile is fixed */
    case 'I':
        return add_word(&options->request, command, "-I", text);
    case 'D':
        return add_word(&options->request, command, "-D", text);
    case 'U':
        return add_word(&options->request, command, "-U", text);
    case 'f':
        return add_word(&options->request, command, "-f", text);
    case 's':
        return strncmp(text, "td=", 3)
                   ? (command_usage(command, "there is no option -s%s", text), false)
                   : add_word(&options->request, command, "-s", text);
    case 'l':
        return add_word(&options->request, command, "-l", text);
    case 'L':
        return add_word(&options->request, command, "-L", text);
    case 'o':
        options->output = text;
        return true;
    case PROGRAM_KERNEL:
        if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
            return command_usage(command, "--kernel is '%s', which is not a regular expression",
                                 text),
                   false;
        regfree(&regex);
        options->choice.kernel = text;
        return true;
    case PROGRAM_LAUNCH:
        options->choice.launch = text;
        return command_number(command, "--launch", text, 0, INT64_MAX, &number);
    case PROGRAM_SECONDS:
        options->choice.seconds = text;
        return command_number(command, "--seconds", text, 1, 1000000, &number);
    case PROGRAM_AS_WRITTEN:
        options->as_written = true;
        return true;
    case PROGRAM_BLOCKS:
        return take_blocks(command, text, &options->choice);
    case PROGRAM_CALL:
        if (options->request.calls.calls == CALLS_MOST)
            return command_usage(command, "more than %d --call", CALLS_MOST), false;
        options->request.calls.call[options->request.calls.calls++] = text;
        return true;
    case PROGRAM_ARRAY:
        if (options->request.calls.arrays == CALLS_MOST)
            return command_usage(command, "more than %d --array", CALLS_MOST), false;
        options->request.calls.array[options->request.calls.arrays++] = text;
        return call_check_array(text, &error) || (command_wrong(command, &error), false);
    case PROGRAM_JSON:
        options->json = text ? text : "-";
        return true;
    case PROGRAM_CSV:
        options->csv = true;
        return true;
    case PROGRAM_BY:
        if (command_choice(command, "--by", text, rows) < 0)
            return false;
        options->by = !strcmp(text, "array") ? TABLE_BY_ARRAY : TABLE_BY_LINE;
        options->by_stage = !strcmp(text, "round") ? STATS_BY_ROUND : STATS_BY_STAGE;
        options->staged = !strcmp(text, "stage") || !strcmp(text, "round");
        return true;
    default:
        return command_usage(command, "there is no option %c", option), false;
    }
}

/* "--json FILE.json" is two words, "--json" one: getopt knows only "--json=FILE". */
static int join_json(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc && strcmp(argv[i], "--"); i++) {
        size_t length = strlen(argv[i + 1]);
        if (strcmp(argv[i], "--json") || length < 6 || *argv[i + 1] == '-' ||
            strcmp(argv[i + 1] + length - 5, ".json"))
            continue;
        char *joined = memory_new(length + 8, 1);
        snprintf(joined, length + 8, "--json=%s", argv[i + 1]);
        argv[i] = joined;
        memmove(&argv[i + 1], &argv[i + 2], (size_t)(argc - i - 1) * sizeof *argv);
        argc--;
    }
    return argc;
}

/* Takes out what only nvcc understands, so that its command line serves here, too. A word that ends with
 * "=" has its value in the same word; `value`: the next word may be its value. */
static int drop_words(int argc, char **argv)
{
    static const struct {
        const char *word;
        bool value;
    } dropped[] = {{"-arch=", false},
                   {"--gpu-architecture=", false},
                   {"-arch", true},
                   {"-code=", false},
                   {"-gencode=", false},
                   {"-gencode", true},
                   {"--generate-code=", false},
                   {"-lineinfo", false},
                   {"--generate-line-info", false},
                   {"-G", false},
                   {"-w", false},
                   {"-dc", false},
                   {"-rdc=", false},
                   {"--relocatable-device-code=", false},
                   {"--expt-relaxed-constexpr", false},
                   {"--expt-extended-lambda", false},
                   {"-expt-relaxed-constexpr", false},
                   {"-expt-extended-lambda", false},
                   {"--extended-lambda", false},
                   {"-extended-lambda", false},
                   {"-use_fast_math", false},
                   {"--use_fast_math", false},
                   {"-maxrregcount=", false},
                   {"--maxrregcount=", false},
                   {"-m64", false},
                   {"-Wno-deprecated-gpu-targets", false},
                   {"-Wall", false},
                   {"-Wextra", false},
                   {"-Xptxas", true},
                   {"-Xptxas=", false},
                   {"--ptxas-options=", false},
                   {"-Xcompiler", true},
                   {"-Xcompiler=", false},
                   {"-ccbin", true},
                   {"-ccbin=", false},
                   {"-x", true}};
    int kept = 1, i = 1;
    for (; i < argc && strcmp(argv[i], "--"); i++) {
        const char *word = argv[i];
        bool drop = false, value = false;
        for (size_t k = 0; k < sizeof dropped / sizeof *dropped && !drop; k++) {
            size_t length = strlen(dropped[k].word);
            bool joined = dropped[k].word[length - 1] == '=';
            drop =
                joined ? !strncmp(word, dropped[k].word, length) : !strcmp(word, dropped[k].word);
            value = drop && dropped[k].value;
        }
        bool standard = !strncmp(word, "--std=", 6);
        if (!drop)
            argv[kept++] = argv[i] + standard; /* "--std=c++20" is "-std=c++20" */
        else if (value && i + 1 < argc && strcmp(argv[i + 1], "--"))
            i++;
    }
    while (i < argc)
        argv[kept++] = argv[i++];
    argv[kept] = NULL;
    return kept;
}

bool program_read(int argc, char **argv, const char *shorts, const struct option *longs,
                  struct program_options *options)
{
    static char *none[] = {NULL};
    int end = 1, option;
    argc = drop_words(argc, argv);
    while (end < argc && strcmp(argv[end], "--"))
        end++;
    options->arguments = end < argc ? argv + end + 1 : none;
    argv[end] = NULL;
    while ((option = command_option(end, argv, shorts, longs)) != -1)
        if (option == '?' || !program_option(argv[0], option, optarg, options))
            return false;
    for (; optind < end; optind++) {
        if (!is_source(argv[optind]))
            return command_usage(argv[0],
                                 "'%s' is neither a source nor an option; the program's own "
                                 "arguments stand after --",
                                 argv[optind]),
                   false;
        if (options->request.sources == PROGRAM_MOST)
            return command_usage(argv[0], "more than %d sources", PROGRAM_MOST), false;
        options->request.source[options->request.sources++] = argv[optind];
    }
    return true;
}

/* ---- running --------------------------------------------------------------------------------- */

/* ---- traces ---------------------------------------------------------------------------------- */

/* Where traces go: one file, for the first launch that uses shared memory, or a folder for all. */
struct trace_files {
    const char *path;
    bool folder;
    int written;
    uint64_t launch; /* the one that was written */
    struct trace_writer *writer;
    struct trace_sink to;
    struct trace_end end;
    char name[PATH_MAX];
};

static bool files_end(void *context, const struct trace_end *end, struct error *error)
{
    struct trace_files *files = context;
    files->end = *end;
    return files->to.end(files->to.context, end, error);
}

static bool files_header(void *context, const struct trace_header *header, struct error *error)
{
    struct trace_files *files = context;
    return files->to.header(files->to.context, header, error);
}

static bool files_access(void *context, const struct warp_access *access, struct error *error)
{
    struct trace_files *files = context;
    return files->to.access(files->to.context, access, error);
}

/* "004-transpose.jsonl": the letters and digits of the kernel's name. */
static void name_file(struct trace_files *files, const struct record_launch *launch)
{
    char kernel[80];
    size_t n = 0;
    for (const char *c = launch->name; *c && n < sizeof kernel - 1; c++)
        if (isalnum((unsigned char)*c) || *c == '_')
            kernel[n++] = *c;
        else if (n && kernel[n - 1] != '-')
            kernel[n++] = '-';
    while (n && kernel[n - 1] == '-')
        n--;
    kernel[n] = '\0';
    snprintf(files->name, sizeof files->name, "%s/%03" PRIu64 "-%s.jsonl", files->path,
             launch->number, kernel);
}

static bool files_begin(void *context, const struct record_launch *launch, struct trace_sink *sink,
                        struct error *error)
{
    struct trace_files *files = context;
    if (files->written && !files->folder)
        return true;
    if (files->folder)
        name_file(files, launch);
    else
        snprintf(files->name, sizeof files->name, "%s", files->path);
    bool standard = !strcmp(files->name, "-");
    files->writer =
        trace_writer_new(standard ? stdout : NULL, standard ? "standard output" : files->name);
    if (!files->writer)
        return error_set(error, "out of memory");
    files->written++;
    files->launch = launch->number;
    files->to = trace_writer_sink(files->writer);
    *sink = (struct trace_sink){files_header, files_access, files_end, files};
    return true;
}

static bool files_close(void *context, struct error *error)
{
    struct trace_files *files = context;
    (void)error;
    trace_writer_free(files->writer);
    files->writer = NULL;
    return true;
}

/* Whether -o names a folder: it ends with a slash, or is there. Makes it. */
static bool open_folder(struct trace_files *files, struct error *error)
{
    struct stat status;
    size_t length = strlen(files->path);
    bool there = stat(files->path, &status) == 0;
    files->folder =
        (there && S_ISDIR(status.st_mode)) || (length && files->path[length - 1] == '/');
    return !files->folder || there || mkdir(files->path, 0777) == 0 ||
           error_set(error, "cannot make the folder %s: %s", files->path, strerror(errno));
}

/* ---- tables by stage ------------------------------------------------------------------------- */

/* Statistics of launches; those of one kernel, shape and list of stages together. */
struct stage_table {
    struct stats stats;
    uint64_t first, launches; /* number of the first; how many there are */
};
struct stage_tables {
    enum stats_by by;
    struct stage_table *table;
    size_t tables, room;
    uint64_t number; /* of the launch that is read */
    struct trace_sink to;
};

static bool same_stages(const struct trace_header *a, const struct trace_header *b)
{
    bool same = !strcmp(a->kernel, b->kernel) && a->stages == b->stages &&
                !memcmp(a->grid_dim, b->grid_dim, sizeof a->grid_dim) &&
                !memcmp(a->block_dim, b->block_dim, sizeof a->block_dim);
    for (int i = 0; same && i < a->stages; i++)
        same = !strcmp(a->stage[i], b->stage[i]);
    return same;
}

static bool stages_header(void *context, const struct trace_header *header, struct error *error)
{
    struct stage_tables *tables = context;
    size_t i = 0;
    while (i < tables->tables && !same_stages(&tables->table[i].stats.header, header))
        i++;
    if (i < tables->tables) {
        tables->table[i].launches++;
        tables->to = stats_sink(&tables->table[i].stats);
        return true;
    }
    if (!memory_grow(&tables->table, &tables->room, i + 1, sizeof *tables->table, "launches",
                     error))
        return false;
    struct stage_table *table = &tables->table[tables->tables++];
    *table = (struct stage_table){.first = tables->number, .launches = 1};
    stats_init(&table->stats, tables->by);
    tables->to = stats_sink(&table->stats);
    return tables->to.header(tables->to.context, header, error);
}

static bool stages_access(void *context, const struct warp_access *access, struct error *error)
{
    struct stage_tables *tables = context;
    return tables->to.access(tables->to.context, access, error);
}

static bool stages_end(void *context, const struct trace_end *end, struct error *error)
{
    struct stage_tables *tables = context;
    return tables->to.end(tables->to.context, end, error);
}

static bool stages_begin(void *context, const struct record_launch *launch, struct trace_sink *sink,
                         struct error *error)
{
    struct stage_tables *tables = context;
    (void)error;
    tables->number = launch->number;
    *sink = (struct trace_sink){stages_header, stages_access, stages_end, tables};
    return true;
}

static bool stages_close(void *context, struct error *error)
{
    (void)context, (void)error;
    return true;
}

static void stages_print(FILE *file, const struct stage_tables *tables)
{
    for (size_t i = 0; i < tables->tables; i++) {
        const struct stage_table *table = &tables->table[i];
        fprintf(file, "%s%s: ", i ? "\n" : "", table->stats.header.kernel);
        if (table->launches > 1)
            fprintf(file, "%" PRIu64 " launches from %" PRIu64 "\n", table->launches, table->first);
        else
            fprintf(file, "launch %" PRIu64 "\n", table->first);
        stats_print(file, &table->stats, NULL);
    }
    if (!tables->tables)
        fprintf(file, "no access to shared memory\n");
}

static bool stages_print_csv(FILE *file, const struct stage_tables *tables, struct error *error)
{
    for (size_t i = 0; i < tables->tables; i++) {
        const struct stage_table *table = &tables->table[i];
        char *cells = NULL;
        size_t length;
        FILE *text = open_memstream(&cells, &length);
        if (!text)
            return error_set(error, "out of memory for the table");
        csv_cell(text, table->stats.header.kernel);
        fprintf(text, ",%" PRIu64 ",%" PRIu64 ",", table->first, table->launches);
        if (fclose(text) == 0)
            stats_print_csv(file, &table->stats, i ? NULL : "kernel,launch,launches,", cells);
        free(cells);
    }
    return true;
}

/* {"launches":[{"kernel":"k","launch":0,"launches":3,"stages":[...],"total":{...}}, ...]} */
static bool stages_print_json(FILE *file, const struct stage_tables *tables, struct error *error)
{
    cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "launches");
    bool good = list;
    for (size_t i = 0; good && i < tables->tables; i++) {
        const struct stage_table *table = &tables->table[i];
        char *text = NULL;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        good = stream && stats_print_json(stream, &table->stats, error);
        if (stream)
            fclose(stream);
        cJSON *object = good ? cJSON_Parse(text) : NULL;
        free(text);
        good = object;
        cJSON_AddNumberToObject(object, "launches", (double)table->launches);
        cJSON_AddNumberToObject(object, "launch", (double)table->first);
        cJSON_AddStringToObject(object, "kernel", table->stats.header.kernel);
        cJSON_AddItemToArray(list, object);
    }
    char *text = good ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    if (text)
        fprintf(file, "%s\n", text);
    cJSON_free(text);
    return text || error_set(error, "out of memory for the table");
}

static void stages_free(struct stage_tables *tables)
{
    for (size_t i = 0; i < tables->tables; i++)
        stats_free(&tables->table[i].stats);
    free(tables->table);
}

static void say_files(const struct trace_files *files)
{
    FILE *to = strcmp(files->path, "-") ? stdout : stderr;
    char *path = text_clean(memory_copy(files->path));
    if (files->folder)
        fprintf(to, "traces: %d in %s\n", files->written, path);
    else
        fprintf(to, "trace: %s, launch %" PRIu64 " (bankscope view %s)\n", path, files->launch,
                path);
    free(path);
}

/* ---- run ------------------------------------------------------------------------------------- */

enum { WORDS_MOST = 4096 };

/* The program's words: its source for a name, then its arguments. */
static void list_words(const struct program_options *options, char *words[WORDS_MOST])
{
    int count = 0;
    words[count++] = (char *)(uintptr_t)options->request.source[0];
    for (char **word = options->arguments; word && *word && count < WORDS_MOST - 1; word++)
        words[count++] = *word;
    words[count] = NULL;
}

/* *machine is NULL where accesses are wanted as they are written. */
static bool build(struct built_program *built, struct machine **machine,
                  const struct program_options *options, struct error *error)
{
    char library[PATH_MAX], include[PATH_MAX];
    *machine = NULL;
    if (!library_path("libhostcuda.a", library, sizeof library, error) ||
        !data_path("hostcuda/include", include, sizeof include, error))
        return false;
    if (!options->as_written)
        *machine = machine_start(&options->request, include);
    return program_build(built, &options->request, library, include, error);
}

/* Says what was found and what was left out. Returns how many faults are errors. */
static int say_faults(const char *command, int status, const struct program_table *table,
                      const struct machine *machine)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "bankscope %s: ", command);
    int faults = table_print_faults(stderr, table, prefix);
    table_print_notes(stderr, table, prefix);
    machine_print_notes(stderr, machine, prefix);
    if (status >= PROGRAM_SIGNAL && !faults)
        fprintf(stderr, "%sthe program was ended by signal %d (%s)\n", prefix,
                status - PROGRAM_SIGNAL, strsignal(status - PROGRAM_SIGNAL));
    return faults;
}

/* Whether --kernel, --launch or --blocks chose nothing of what ran; says so. */
static bool chose_nothing(const char *command, const struct record_choice *choice,
                          const struct program_table *table)
{
    enum { NAMES = 6 };
    const char *option = choice->kernel   ? "--kernel"
                         : choice->launch ? "--launch"
                         : choice->blocks ? "--blocks"
                                          : NULL;
    const char *name[NAMES];
    size_t names = 0;
    for (size_t i = 0; i < table->launches; i++) {
        const struct launch_table *launch = &table->launch[i];
        if (launch->end.recorded_blocks || !launch->ended)
            return false;
        size_t same = 0;
        while (same < names && same < NAMES && strcmp(name[same], launch->name) != 0)
            same++;
        if (same == names && names++ < NAMES)
            name[same] = launch->name;
    }
    if (!option || !table->end.launches)
        return false;
    fprintf(stderr, "bankscope %s: %s chooses none of %" PRIu64 " launch%s", command, option,
            table->end.launches, table->end.launches == 1 ? "" : "es");
    for (size_t i = 0; i < names && i < NAMES; i++)
        fprintf(stderr, "%s%s", i ? ", " : ": ", name[i]);
    fprintf(stderr, "%s\n", names > NAMES ? ", ..." : "");
    return true;
}

static bool print_json(const struct program_options *options, const struct program_table *table,
                       const struct stage_tables *stages, struct error *error)
{
    bool standard = !strcmp(options->json, "-");
    FILE *file = standard ? stdout : fopen(options->json, "w");
    if (!file)
        return error_set(error, "cannot write %s: %s", options->json, strerror(errno));
    bool good = options->staged ? stages_print_json(file, stages, error)
                                : table_print_json(file, table, error);
    if (!standard && fclose(file))
        good = error_set(error, "cannot write %s: %s", options->json, strerror(errno));
    return good;
}

/* The status to end with, as a shell has it: 128 and more for a signal. */
static int shell_status(int status)
{
    return status >= PROGRAM_SIGNAL ? 128 + status - PROGRAM_SIGNAL : status;
}

/* What is run: a program built for this machine, or one that records itself on a GPU. */
struct run_program {
    const char *executable;
    char *const *words;
    struct source_lines *lines;
    const struct built_program *built; /* NULL: on a GPU */
    struct machine *machine; /* NULL: accesses as they are written, or as a GPU has them */
};

/* Prints what was recorded, by what the options say: as CSV, or as a table unless JSON takes its place. A
 * trace on standard output sends it to standard error. */
static bool print_report(const struct program_options *options, const struct program_table *table,
                         const struct stage_tables *stages, struct error *error)
{
    bool traced = options->output && !strcmp(options->output, "-");
    bool json_only = options->json && !strcmp(options->json, "-");
    FILE *file = traced ? stderr : stdout;
    if (options->csv && options->staged)
        return stages_print_csv(file, stages, error);
    if (options->csv)
        table_print_csv(file, table, options->by);
    else if (options->staged && !json_only)
        stages_print(file, stages);
    else if (!json_only)
        table_print(file, table, options->by);
    return true;
}

/* Runs it and prints its table. Returns the exit status. */
static int record_program(const struct program_options *options, const struct run_program *program,
                          struct error *error)
{
    struct program_table table;
    struct program_traces traces, staged;
    struct trace_files files = {.path = options->output};
    struct stage_tables stages = {.by = options->by_stage};
    struct record_sink sinks[4];
    struct record_tee tee = {sinks, 0};
    struct source_lines *lines = program->lines;
    struct machine *machine = program->machine;
    table_init(&table, lines);
    traces_init(&traces, lines);
    traces.begin = files_begin;
    traces.end = files_close;
    traces.context = &files;
    traces_init(&staged, lines);
    staged.begin = stages_begin;
    staged.end = stages_close;
    staged.context = &stages;
    sinks[tee.count++] = lines_sink(lines);
    sinks[tee.count++] = table_sink(&table);
    if (options->staged)
        sinks[tee.count++] = traces_sink(&staged);
    if (files.path)
        sinks[tee.count++] = traces_sink(&traces);
    struct record_sink all = record_tee_sink(&tee);
    struct record_sink sink = machine ? machine_sink(machine, program->built, lines, &all) : all;
    table.machine = traces.machine = staged.machine = machine;
    fflush(NULL);
    int status =
        files.path && !open_folder(&files, error)
            ? -1
            : program_run(program->executable, program->words, &options->choice, &sink, error);
    if (status >= 0 && machine && !machine_finish(machine, error))
        status = -1;
    if (status >= 0 && files.path && !traces_finish(&traces, error))
        status = -1;
    if (status >= 0 && options->staged && !traces_finish(&staged, error))
        status = -1;
    if (!print_report(options, &table, &stages, error))
        status = -1;
    if (status >= 0 && files.written && (!options->json || strcmp(options->json, "-")))
        say_files(&files);
    fflush(stdout);
    int faults = say_faults("run", status, &table, machine);
    if (!program->built && status >= 0 && !table.launches && !table.end.launches) {
        fprintf(stderr,
                "bankscope run: nothing was recorded: '%s' launched no kernel, or found no GPU\n",
                program->executable);
        faults++;
    }
    faults += status == 0 && chose_nothing("run", &options->choice, &table);
    if (status >= 0 && options->json && !print_json(options, &table, &stages, error))
        status = -1;
    if (status == 0 && !faults && files.path && !files.written) {
        error_set(error, "no trace for %s: no recorded launch used shared memory", files.path);
        status = -1;
    }
    stages_free(&stages);
    traces_free(&staged);
    traces_free(&traces);
    table_free(&table);
    return status < 0 ? command_fail("run", error) : status ? shell_status(status) : faults ? 1 : 0;
}

static int run_built(const struct program_options *options, struct error *error)
{
    struct built_program built = {.files = 0};
    char *words[WORDS_MOST];
    struct run_program program = {.built = &built, .words = words};
    int status;
    if (build(&built, &program.machine, options, error)) {
        program.executable = built.executable;
        program.lines = lines_open(&built);
        list_words(options, words);
        status = record_program(options, &program, error);
        lines_free(program.lines);
    } else {
        status = command_fail("run", error);
    }
    machine_free(program.machine);
    program_free(&built);
    return status;
}

/* A program on a GPU as it is, with a folder for the machine code that it loads. */
static int run_on_gpu(struct program_options *options, struct error *error)
{
    char library[PATH_MAX], folder[PATH_MAX];
    struct run_program program = {options->arguments[0], options->arguments, NULL, NULL, NULL};
    struct error missing = {{0}}; /* the message below says more */
    struct stat kind;
    if (stat(program.executable, &kind) || access(program.executable, X_OK) ||
        (errno = EISDIR, S_ISDIR(kind.st_mode)))
        return error_set(error, "cannot run '%s': %s", program.executable, strerror(errno)),
               command_fail("run", error);
    if (!library_path("libbankscope_inject.so", library, sizeof library, &missing))
        return error_set(error,
                         "this build cannot record programs on a GPU: build it where there are "
                         "a GPU and Compute Sanitizer, which comes with the CUDA toolkit"),
               command_fail("run", error);
    if (!temporary_make(folder, sizeof folder, error))
        return command_fail("run", error);
    options->choice.inject = library;
    options->choice.cubins = folder;
    program.lines = lines_open_gpu(folder);
    int status = record_program(options, &program, error);
    lines_free(program.lines);
    passing_remove(folder);
    return status;
}

int command_run_program(int argc, char **argv)
{
    static const struct option longs[] = {
        PROGRAM_OPTIONS, {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};
    struct program_options options = {.by = TABLE_BY_LINE};
    struct error error = {{0}};
    int status = 2;
    if (program_read(join_json(argc, argv), argv, ":o:" PROGRAM_SHORT, longs, &options)) {
        options.choice.values = options.output;
        status =
            options.request.sources ? run_built(&options, &error) : run_on_gpu(&options, &error);
    }
    program_options_free(&options);
    return status;
}

/* ---- one launch ------------------------------------------------------------------------------ */

/* The launch with the most conflicts of those that have ended, in a file. */
struct worst_launch {
    struct launch_taker taker;
    FILE *file;
    struct trace_writer *writer;
    uint64_t number, conflicts;
    char name[128];
    int launches; /* that used shared memory */
};

static uint64_t conflicts_of(const struct program_table *table, uint64_t number)
{
    uint64_t conflicts = 0;
    for (size_t i = table->launches; i-- > 0;)
        if (table->launch[i].number == number) {
            for (size_t k = 0; k < table->launch[i].rows; k++)
                conflicts += table->launch[i].row[k].tally.conflicts;
            break;
        }
    return conflicts;
}

static bool worst_begin(void *context, const struct record_launch *launch, struct trace_sink *sink,
                        struct error *error)
{
    struct worst_launch *worst = context;
    uint64_t conflicts = conflicts_of(worst->taker.table, launch->number);
    if (worst->launches++ && conflicts <= worst->conflicts)
        return true;
    worst->number = launch->number;
    worst->conflicts = conflicts;
    snprintf(worst->name, sizeof worst->name, "%.100s", launch->name);
    rewind(worst->file);
    if (ftruncate(fileno(worst->file), 0))
        return error_set(error, "cannot write a temporary file: %s", strerror(errno));
    worst->writer = trace_writer_new(worst->file, "a temporary file");
    if (!worst->writer)
        return error_set(error, "out of memory");
    *sink = trace_writer_sink(worst->writer);
    return true;
}

static bool worst_end(void *context, struct error *error)
{
    struct worst_launch *worst = context;
    (void)error;
    trace_writer_free(worst->writer);
    worst->writer = NULL;
    return true;
}

static bool read_worst(const char *command, const char *source, const struct worst_launch *worst,
                       const struct trace_sink *to, struct error *error)
{
    if (!worst->launches)
        return error_set(error, "no recorded launch of %s used shared memory", source);
    if (worst->launches > 1)
        fprintf(stderr,
                "bankscope %s: this is launch %" PRIu64
                ", %s, which has the most conflicts (%" PRIu64
                ") of %d launches; --launch N or --kernel REGEX chooses\n",
                command, worst->number, worst->name, worst->conflicts, worst->launches);
    rewind(worst->file);
    return trace_read(worst->file, source, to, error);
}

/* Everything after the build, as program_record_each. */
static int record_each(const char *command, const struct program_options *options,
                       const struct built_program *built, struct machine *machine,
                       struct launch_taker *taker, struct error *error)
{
    struct program_table table;
    struct program_traces traces;
    struct source_lines *lines = lines_open(built);
    char *words[WORDS_MOST];
    list_words(options, words);
    table_init(&table, lines);
    traces_init(&traces, lines);
    taker->table = &table;
    traces.begin = taker->begin;
    traces.end = taker->end;
    traces.context = taker->context;
    struct record_sink sinks[] = {table_sink(&table), traces_sink(&traces)};
    struct record_tee tee = {sinks, 2};
    struct record_sink all = record_tee_sink(&tee);
    struct record_sink sink = machine ? machine_sink(machine, built, lines, &all) : all;
    table.machine = traces.machine = machine;
    struct record_choice choice = options->choice;
    choice.output_apart = true;
    fflush(NULL);
    int status = program_run(built->executable, words, &choice, &sink, error);
    if (status >= 0 && machine && !machine_finish(machine, error))
        status = -1;
    if (status >= 0 && !traces_finish(&traces, error))
        status = -1;
    if (say_faults(command, status, &table, machine) && status == 0)
        status = 1;
    traces_free(&traces);
    table_free(&table);
    lines_free(lines);
    return shell_status(status);
}

int program_record_each(const char *command, const struct program_options *options,
                        struct launch_taker *taker, struct error *error)
{
    struct built_program built = {.files = 0};
    struct machine *machine = NULL;
    int status = build(&built, &machine, options, error)
                     ? record_each(command, options, &built, machine, taker, error)
                     : -1;
    machine_free(machine);
    program_free(&built);
    return status;
}

int program_record(const char *command, const struct program_options *options,
                   const struct trace_sink *to, struct error *error)
{
    struct worst_launch worst = {.file = tmpfile()};
    if (!worst.file)
        return error_set(error, "cannot make a temporary file: %s", strerror(errno)), -1;
    worst.taker = (struct launch_taker){worst_begin, worst_end, &worst, NULL};
    int status = program_record_each(command, options, &worst.taker, error);
    if (status >= 0 && !read_worst(command, options->request.source[0], &worst, to, error))
        status = -1;
    fclose(worst.file);
    return status;
}
