/* program_run.c - CUDA programs as they stand: one is built, or taken as it is, and run, and its conflicts printed. */
#include "subject/program_run.h"
#include "program/database.h"
#include "program/report/trace_files.h"
#include "subject/arguments.h"
#include "subject/program_registers.h"
#include "system/output.h"
#include "system/paths.h"
#include "system/process.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- traces ---- */

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

/* The names of the program's kernels, each with a line feed; the caller frees them. */
static char *kernels_of(const struct built_program *built)
{
    struct error ignored = {{0}};
    char *text = NULL;
    size_t length;
    FILE *list = open_memstream(&text, &length);
    if (!list)
        memory_exhausted();
    program_kernels(built, list, &ignored);
    if (fclose(list))
        memory_exhausted();
    return text;
}

/* " transpose, reduce, ...": the first kernels of the program. */
static void say_kernels(const struct built_program *built)
{
    enum { NAMES = 6 };
    char *text = kernels_of(built);
    int names = 0;
    for (char *name = strtok(text, "\n"); name && names <= NAMES; name = strtok(NULL, "\n")) {
        fprintf(stderr, "%s%s", names ? ", " : ": ", names < NAMES ? text_clean(name) : "...");
        names++;
    }
    free(text);
}

/* Says that a program launched nothing. Returns whether it has nothing to launch: one that has may have its reasons. */
static bool launched_none(const struct program_options *options, const struct program_table *table,
                          const struct built_program *built)
{
    if (table->launches || table->end.launches || table->faults || table->excuses)
        return false; /* faults: or it called a library */
    char *kernels = kernels_of(built);
    const bool none = !*kernels;
    fprintf(stderr, "bankscope run: nothing was recorded: %s %s\n", program_source(options),
            none ? "has no kernel (a function with __global__)" : "launched no kernel");
    free(kernels);
    return none;
}

/* Whether --kernel, --launch or --blocks chose nothing of what ran; says so. built: NULL on a GPU. */
static bool chose_nothing(const char *command, const struct program_choice *choice,
                          const struct program_table *table, const struct built_program *built)
{
    const char *option = program_chose_none(choice, table);
    if (!option)
        return false;
    fprintf(stderr, "bankscope %s: %s chooses none of %" PRIu64 " launch%s", command, option,
            table->end.launches, table->end.launches == 1 ? "" : "es");
    if (built)
        say_kernels(built);
    fputc('\n', stderr);
    return true;
}

enum { FLAGS_MOST = 2 * PROGRAM_MOST };
/* What is run: a program built for this machine, or one that records itself on a GPU. */
struct run_program {
    const char *executable;
    char *const *words;
    struct source_lines *lines;
    const struct built_program *built; /* NULL: on a GPU */
    struct table_about about;
    const char *flag[FLAGS_MOST]; /* about.word */
    const struct program_gate *gate;
};

/* What the first source with kernels is told by a build system, without folders, which are each machine's own. */
static void add_own(struct run_program *program)
{
    const struct database_program *database = program->built->database;
    int at = 0;
    while (database && at < database->sources && !database->own[at].cuda)
        at++;
    if (!database || at == database->sources)
        return;
    for (int i = 0; i < database->own[at].words; i++) {
        const char *word = database->own[at].word[i];
        if (!strcmp(word, "-I") || !strncmp(word, "-i", 2))
            i++; /* its folder */
        else if (strncmp(word, "-forward", 8) != 0 && program->about.words < FLAGS_MOST)
            program->flag[program->about.words++] = word;
    }
}

static void fill_about(struct run_program *program, const struct program_options *options)
{
    const struct built_program *built = program->built;
    program->about = (struct table_about){.bankscope = BANKSCOPE_VERSION, .word = program->flag};
    if (!built)
        return;
    program->about.compiler = built->compiled.compiler;
    program->about.device = options->choice.device ? options->choice.device : "H200";
    program->about.capability = built->compiled.capability;
    add_own(program);
    for (int i = 0; i < options->request.words && program->about.words < FLAGS_MOST; i++)
        program->flag[program->about.words++] = options->request.word[i];
}

/* Runs it and prints its table. Returns the exit status. */
static int record_program(const struct program_options *options, const struct run_program *program,
                          struct error *error)
{
    struct program_table table;
    struct program_traces traces, staged;
    struct trace_files files = {.path = options->output};
    struct stage_tables stages = {.by = options->by_stage};
    struct registers registers = {.options = options, .lines = program->lines};
    struct program_sink sinks[5];
    struct program_tee tee = {sinks, 0};
    struct source_lines *lines = program->lines;
    table_init(&table, lines);
    table.excuses = options->choice.excuses;
    table.memory = options->choice.memory;
    table.about = program->about;
    table.unfolded = options->choice.kernel || options->choice.launch;
    traces_init(&traces, lines);
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
    if (options->choice.follow)
        sinks[tee.count++] = registers_sink(&registers);
    struct program_sink sink = program_tee_sink(&tee);
    struct program_choice choice = options->choice;
    if (!files.path && !options->staged)
        choice.accesses = 0;
    else if (!choice.accesses)
        choice.accesses = DEFAULT_KEPT;
    fflush(NULL);
    int status = files.path && !trace_files_open(&files, &traces, error) ? -1
                 : program->built
                     ? session_run(program->built, lines, program->words, &choice, &sink, error)
                     : collect_run(program->executable, program->words, &choice, &sink, error);
    if (status >= 0 && files.path && !traces_finish(&traces, error))
        status = -1;
    if (status >= 0 && options->staged && !traces_finish(&staged, error))
        status = -1;
    const struct run_report report = {options, &table, &stages};
    if (!run_print_report(&report, error))
        status = -1;
    if (status >= 0 && options->choice.follow &&
        !registers_print(run_replaces_table(options) ? stderr : stdout, &registers, error))
        status = -1;
    if (status >= 0 && files.written && !run_replaces_table(options))
        say_files(&files);
    fflush(stdout);
    int faults = program_say_faults("run", status, &table, run_is_standard(options->diagnostics));
    if (status > 0 && status < PROGRAM_SIGNAL && !faults && !alone_asked(&options->request))
        fprintf(stderr, "bankscope run: the program ended with status %d\n", status);
    if (program->built && options->no_gpu && status >= 0 && !table.end.launches) {
        fprintf(
            stderr,
            "bankscope run: nothing was recorded: '%s' launched no kernel, or has the toolkit's "
            "runtime in it (build it with nvcc -cudart shared)\n",
            options->arguments[0]);
        faults++;
    }
    if (!program->built && status >= 0 && !table.launches && !table.end.launches) {
        fprintf(
            stderr,
            "bankscope run: nothing was recorded: '%s' launched no kernel, found no GPU, or left "
            "the work to processes that run elsewhere or without its environment: start each of "
            "these by 'bankscope run' (doc/daily-work.md)\n",
            program->executable);
        faults++;
    }
    faults += status == 0 && !options->no_gpu && program->built &&
              launched_none(options, &table, program->built);
    faults += status == 0 && chose_nothing("run", &options->choice, &table, program->built);
    if (status >= 0 && !run_write_json(&report, error))
        status = -1;
    const int judged = status < 0 ? 0 : gate_judge(program->gate, &table, error);
    if (judged < 0)
        status = -1;
    if (status == 0 && !faults && files.path && !files.written) {
        error_set(error, "no trace for %s: no recorded launch used %s memory", files.path,
                  options->choice.memory == MEMORY_SHARED   ? "shared"
                  : options->choice.memory == MEMORY_GLOBAL ? "global"
                                                            : "any");
        status = -1;
    }
    registers_free(&registers);
    stages_free(&stages);
    traces_free(&staged);
    traces_free(&traces);
    table_free(&table);
    return status < 0 ? command_fail("run", error)
           : status   ? program_status(status)
           : faults   ? 1
                      : judged;
}

static int run_built(const struct program_options *options, const struct program_gate *gate,
                     struct error *error)
{
    struct built_program built = {.sources = 0};
    char *words[PROGRAM_WORDS];
    struct run_program program = {.built = &built, .words = words, .gate = gate};
    int status;
    if (program_make("run", &built, options, error)) {
        fill_about(&program, options);
        status = gate_compare(gate, &program.about);
        program.executable = built.compiled.executable;
        program.lines = lines_open(&built);
        program_words(options, &built, words);
        if (!status)
            status = record_program(options, &program, error);
        lines_free(program.lines);
    } else {
        status = command_fail("run", error);
    }
    program_free(&built);
    return status;
}

/* A program on a GPU as it is, with a folder for the machine code that it loads. */
static int run_on_gpu(struct program_options *options, const struct program_gate *gate,
                      struct error *error)
{
    char library[PATH_MAX], folder[PATH_MAX];
    struct run_program program = {
        .executable = options->arguments[0], .words = options->arguments, .gate = gate};
    struct error missing = {{0}}; /* the message below says more */
    struct stat kind;
    char found[PATH_MAX];
    const char *machines = options->choice.warp           ? "-p w="
                           : options->choice.excuses      ? "--excuse"
                           : options->choice.host_reads   ? "--host-reads"
                           : options->choice.shadow_bytes ? "--race-memory"
                           : options->choice.follow       ? "--registers"
                                                          : NULL;
    if (machines)
        return command_usage("run", "%s is for programs whose kernels run on this machine",
                             machines);
    if (!strchr(program.executable, '/') && tool_path(program.executable, found, sizeof found))
        program.executable = found;
    if (stat(program.executable, &kind) || access(program.executable, X_OK) ||
        (errno = EISDIR, S_ISDIR(kind.st_mode)))
        return error_set(error, "cannot run '%s': %s", program.executable, strerror(errno)),
               command_fail("run", error);
    if (!library_path("libbankscope_inject.so", library, sizeof library, &missing))
        return error_set(error,
                         "this build cannot record programs on a GPU: build it where there are "
                         "a GPU and Compute Sanitizer, which comes with the CUDA toolkit"),
               command_fail("run", error);
    fill_about(&program, options);
    int status = gate_compare(gate, &program.about);
    if (status)
        return status;
    if (!temporary_make(folder, sizeof folder, error))
        return command_fail("run", error);
    options->choice.inject = library;
    options->choice.cubins = folder;
    program.lines = lines_open_gpu(folder);
    status = record_program(options, &program, error);
    lines_free(program.lines);
    passing_remove(folder);
    return status;
}

/* A program that is built already, on the machine: our runtime takes the place of the toolkit's. */
static int run_without_gpu(const struct program_options *options, const struct program_gate *gate,
                           struct error *error)
{
    struct built_program built = {.sources = 0};
    struct run_program program = {.built = &built, .words = options->arguments, .gate = gate};
    if (!options->arguments || !options->arguments[0])
        return command_usage("run", "--no-gpu: which program? As in run --no-gpu -- ./app");
    if (options->request.sources || options->choice.kernel)
        return command_usage("run", "--no-gpu is for programs that are built already; %s is not",
                             options->choice.kernel ? "--kernel" : options->request.source[0]);
    if (!program_take(&built, options->arguments[0], error))
        return command_fail("run", error);
    fill_about(&program, options);
    program.executable = built.compiled.executable;
    program.lines = lines_open(&built);
    int status = gate_compare(gate, &program.about);
    if (!status)
        status = record_program(options, &program, error);
    lines_free(program.lines);
    program_free(&built);
    return status;
}

int program_run(struct program_options *options)
{
    struct program_gate gate = {.options = NULL};
    struct error error = {{0}};
    int status;
    if ((status = run_check_places(options)) == 0 && (status = gate_open(&gate, options)) == 0) {
        options->choice.values = options->output;
        if (options->choice.follow)
            registers_choose(options);
        options->choice.output_apart |=
            run_is_standard(options->markdown) || run_is_standard(options->diagnostics);
        const bool builds = options->request.sources || options->request.database;
        status = options->no_gpu ? run_without_gpu(options, &gate, &error)
                 : builds        ? run_built(options, &gate, &error)
                                 : run_on_gpu(options, &gate, &error);
    }
    gate_close(&gate);
    return status;
}
