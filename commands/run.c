/* run.c - record a kernel and print what its shared-memory accesses cost. */
#include "commands/command.h"
#include "program/compile/dialect.h"
#include "system/output.h"
#include "system/process.h"
#include "system/progress.h"
#include "viewer/viewer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char run_help[] =
    "usage: bankscope run KERNEL|FILE.cu [NAME=VALUE]... [--input INPUT] [--seed N]\n"
    "                     [--backend BACKEND] [--records N] [-o FILE] [--show]\n"
    "       bankscope run FILE.cu [FILE...] [-I FOLDER] [-D NAME[=VALUE]] [--kernel REGEX]\n"
    "                     [--launch N] [--blocks A-B] [--by line|call|array|stage|round]\n"
    "                     [--memory shared|global|all] [-p w=LANES] [--json[=FILE]]\n"
    "                     [--compiler nvcc|clang|small] [--csv[=FILE]] [--markdown[=FILE]]\n"
    "                     [--diagnostics gcc|sarif[=FILE]] [--apart] [--baseline REPORT.json]\n"
    "                     [--fail-if CONDITION]...\n"
    "                     [-- ARGUMENT...]\n"
    "       bankscope run FILE.cu|FILE.ptx|- --call LAUNCH [--array ARRAY]... [OPTION...]\n"
    "       bankscope run --build FOLDER [--target NAME] [OPTION...] [-- ARGUMENT...]\n"
    "       bankscope run [OPTION...] -- ./APP [ARGUMENT...]\n"
    "\n"
    "Records every shared-memory access of a kernel, checks the kernel's result, and prints\n"
    "how many passes and bank conflicts each stage costs. KERNEL is one of 'bankscope list';\n"
    "FILE.cu is your own kernel, written like those in kernels/.\n"
    "\n" RECORD_HELP
    "  -o FILE            write the trace there, compressed if the name ends in .gz or .zst;\n"
    "                     '-' is standard output (the table then goes to standard error).\n"
    "                     An existing FILE must be a trace; a run that fails or is interrupted\n"
    "                     leaves it as it is, and keeps what there was as NAME.part.jsonl\n"
    "  --show             also print the banks of the stage with the most conflicts: all\n"
    "                     rounds if they are few and small, otherwise the worst one\n"
    "\n"
    "If FILE.cu is an ordinary CUDA program, it runs unchanged, without a GPU: nvcc compiles it\n"
    "if it is installed, otherwise clang, which needs no toolkit. Its host part runs natively, as\n"
    "you, with the arguments after --; its kernels are executed warp by warp on a GPU in\n"
    "software. Further sources and objects belong to the program. The table then shows its\n"
    "conflicts by source line, for all blocks. A checker reports races, accesses out of bounds,\n"
    "reads of memory that was never written, and barriers that not all threads reach.\n"
    "\n"
    "Kernels that --call launches run without any host program, from a source, from PTX of any\n"
    "compiler (Triton, CuPy, Numba, ...), or from either on standard input (-).\n"
    "\n"
    "./APP is a CUDA program that is built already. It is recorded on this machine's GPU, with\n"
    "the libraries in it; compile it with -lineinfo for source lines.\n" PROGRAM_HELP
    "  --no-gpu           run ./APP on this machine: it needs PTX in it, and CUDA 13's shared\n"
    "                     runtime or the driver API\n"
    "  -p w=LANES         threads of a warp, and banks: 1 to 64 (default 32)\n"
    "  --records N        with -o or --by stage: keep a launch's first whole blocks, up to N\n"
    "                     accesses (default 262144); counts are of all blocks\n"
    "  --by WHAT          print one row per line (the default); line and the lines that called it\n"
    "                     ('call', for helpers); array; stage; or round\n"
    "  --json[=FILE]      print one JSON object after the program's output, or write it to FILE\n"
    "  --csv[=FILE]       the same as comma-separated values\n"
    "  --markdown[=FILE]  a table for a pull request, with what changed if there is a --baseline\n"
    "  --diagnostics gcc  conflicts and faults as a compiler's warnings and errors, for editors\n"
    "  --diagnostics sarif[=FILE]\n"
    "                     the same as SARIF 2.1.0\n"
    "  --apart            what the program prints goes to standard error, as it does where one\n"
    "                     of the last two goes to standard output: that has nothing else in it\n"
    "  --baseline FILE    compare with a report of --json: say which kernels and lines have more\n"
    "                     passes or conflicts than then, and end with status 1 if any has. One\n"
    "                     of another version, compiler, device or warp size is refused (status 2)\n"
    "  --fail-if COND     end with status 1 if the condition holds: 'conflicts > 0',\n"
    "                     'conflicts(kernel=transpose, line=8) > 0', 'passes(array=tile) >= 64',\n"
    "                     'max_ways(file=sort.cu, op=store) > 2'; may be given several times\n"
    "\n"
    "examples:\n"
    "  bankscope run thrust-merge --input worst -o worst.jsonl\n"
    "  bankscope run stride w=12 u=12 s=6 --show\n"
    "  bankscope run cf-merge --input worst -o cf.jsonl\n"
    "  bankscope run my_kernel.cu --input file=numbers.txt\n"
    "  bankscope run app.cu -I include -- 1024\n"
    "  bankscope run app.cu --json=old.json; bankscope run app.cu --baseline old.json\n"
    "  bankscope run saxpy.ptx --call 'saxpy<<<1, 32>>>(32, 2, x, x)' --array 'float x[32] = 1'\n";

enum { OPTION_SHOW = OPTION_FIRST_FREE };
const struct option run_longs[] = {RECORD_OPTIONS,
                                   PROGRAM_OPTIONS,
                                   {"output", required_argument, NULL, 'o'},
                                   {"show", no_argument, NULL, OPTION_SHOW},
                                   {"no-gpu", no_argument, NULL, PROGRAM_NO_GPU},
                                   {NULL, 0, NULL, 0}};

/* Prints the kernel and its parameters above the table. */
static void print_title(FILE *file, const struct stats *stats)
{
    const struct trace_header *header = &stats->header;
    char params[4096];
    header_params(header, params, sizeof params);
    fprintf(file, "%s:%s, %d block%s, input %s, seed %" PRIu64 ", on %s\n", header->kernel, params,
            header->blocks, header->blocks == 1 ? "" : "s", header->input, header->seed,
            *header->device ? header->device : header->backend);
}

/* What to do with a recording. */
struct request {
    const struct recipe *recipe;
    const struct run_options *options;
    const char *path; /* the trace's file, "-" for standard output; NULL: none */
    bool show;
};

/* Prints the banks where the recording has most conflicts. */
static bool show(const struct trace *trace, FILE *file, struct error *error)
{
    struct trace_index index;
    struct figure_part part = {.index = &index, .title = "", .used_columns = true};
    struct terminal terminal = terminal_of(file, &themes[0]);
    if (!trace_index_init(&index, trace, error))
        return false;
    fputc('\n', file);
    bool good = figure_choose(&part, error) && terminal_print(&part, &terminal, 0, file, error);
    trace_index_free(&index);
    return good;
}

/* Says where a recording is that was cut. */
static void say_part(const char *part, struct error *error)
{
    if (part)
        error_add(error, "; what was recorded until then is in %s", part);
}

/* Runs the kernel into the trace's file, the table and the picture. */
static bool record(const struct request *request, struct trace_end *end, struct error *error)
{
    const struct recipe *recipe = request->recipe;
    const char *path = request->path;
    struct stats stats;
    struct trace trace = {0};
    struct record_progress progress;
    struct run_result result;
    bool standard = path && !strcmp(path, "-");
    FILE *table = standard ? stderr : stdout;
    struct trace_writer *writer = standard ? trace_writer_new(stdout, "standard output")
                                  : path   ? trace_writer_new(NULL, path)
                                           : NULL;
    struct trace_sink sinks[4];
    struct trace_tee tee = {sinks, 0};

    stats_init(&stats, STATS_BY_STAGE);
    sinks[tee.count++] = record_progress_sink(&progress);
    sinks[tee.count++] = stats_sink(&stats);
    if (writer)
        sinks[tee.count++] = trace_writer_sink(writer);
    if (request->show)
        sinks[tee.count++] = trace_memory_sink(&trace);
    struct trace_sink sink = trace_tee_sink(&tee);
    bool good = recipe_run(recipe, request->options, &sink, &result, error);
    if (good) {
        *end = stats.end;
        print_title(table, &stats);
        stats_print(table, &stats, NULL);
        if (recipe->kernel->report)
            recipe->kernel->report(recipe->params, &stats, table);
        good = !request->show || show(&trace, table, error);
    }
    if (!good && writer)
        say_part(trace_writer_part(writer), error);
    stats_free(&stats);
    trace_free(&trace);
    trace_writer_free(writer);
    return good;
}

static int run(const struct request *request)
{
    struct error error = {{0}};
    struct trace_end end = {.complete = true};
    const char *path = request->path;
    bool good = record(request, &end, &error);
    if (good && path && strcmp(path, "-")) {
        char *shown = text_clean(memory_copy(path));
        printf("trace: %s (bankscope view %s)\n", shown, shown);
        free(shown);
    }
    return good ? command_check_end("run", path ? path : "the recording", &end)
                : command_fail("run", &error);
}

/* The same of a user's own kernel, in the child of process_apart. */
static int run_own(void *context, struct error *error)
{
    (void)error; /* run has said it */
    return command_finish(run(context));
}

static int run_apart(struct request *request)
{
    struct error error = {{0}};
    int status = process_apart(request->recipe->kernel->name, run_own, request, &error);
    if (status < 0)
        say_part(outputs_settle(), &error); /* the child could not close it */
    return status < 0 ? command_fail("run", &error) : status;
}

int command_run(int argc, char **argv)
{
    struct record_options options = {.run = {.backend = BACKEND_AUTO}};
    struct recipe recipe = {.kernel = NULL};
    struct request request = {.recipe = &recipe, .options = &options.run};
    int option;

#ifdef HAVE_DW
    if (program_asked(argc, argv))
        return command_run_program(argc, argv);
#endif
    while ((option = command_option(argc, argv, ":o:" RECORD_SHORT, run_longs)) != -1) {
        if (option == '?')
            return 2;
        if (option >= PROGRAM_KERNEL)
            return command_not_program(argv[0], option, run_longs);
        if (option == 'o' && !command_trace_name(argv[0], optarg))
            return 2;
        if (option == 'o')
            request.path = optarg;
        else if (option == OPTION_SHOW)
            request.show = true;
        else if (!record_option(argv[0], option, optarg, &options))
            return 2;
    }
    const char *name = NULL;
    for (; optind < argc; optind++) {
        if (recipe_is_param(argv[optind])) {
            if (!record_option(argv[0], 'p', argv[optind], &options))
                return 2;
        } else if (name) {
            return command_usage(argv[0], "one kernel at a time, not '%s' and '%s'", name,
                                 argv[optind]);
        } else {
            name = argv[optind];
        }
    }
    if (!name)
        return command_usage(argv[0], "which kernel? 'bankscope list' shows them");
    struct error error = {{0}};
    if (request.path && strcmp(request.path, "-") && !trace_may_replace(request.path, &error))
        return command_fail(argv[0], &error);
    const struct kernel *kernel = dialect_kernel(name, options.run.backend, &error);
    if (kernel)
        recipe_init(&recipe, kernel);
    int status = !kernel || !recipe_apply(&recipe, &options.words, &error)
                     ? command_fail(argv[0], &error)
                 : dialect_is_file(name) ? run_apart(&request)
                                         : run(&request);
    recipe_free(&recipe);
    return status;
}
