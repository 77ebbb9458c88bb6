/* run.c - record a kernel and print what its shared-memory accesses cost. */
#include "commands/command.h"
#include "program/compile/dialect.h"
#ifdef HAVE_DW
#include "subject/program_run.h"
#endif

#include <string.h>

const char run_help[] =
    "usage: bankscope run KERNEL|FILE.cu [NAME=VALUE]... [--input INPUT] [--seed N]\n"
    "                     [--backend BACKEND] [--records N] [-o FILE] [--show]\n"
    "       bankscope run FILE.cu [FILE...] [-I FOLDER] [-D NAME[=VALUE]] [--kernel REGEX]\n"
    "                     [--launch N] [--blocks A-B] [--by line|call|array|stage|round]\n"
    "                     [--memory shared|global|all] [-p w=LANES] [--json[=FILE]]\n"
    "                     [--compiler nvcc|clang|small] [--csv[=FILE]] [--markdown[=FILE]]\n"
    "                     [--diagnostics gcc|sarif[=FILE]] [--apart] [--baseline REPORT.json]\n"
    "                     [--fail-if CONDITION]... [--registers BLOCK:THREAD[:LINE]]\n"
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
    "  --registers BLOCK:THREAD[:LINE]\n"
    "                     of the first launch, or --launch N: each instruction of that thread (of\n"
    "                     that source line), the lanes that executed it, and what it wrote\n"
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

#ifdef HAVE_DW
/* A CUDA program. Returns the exit status. */
static int run_program(int argc, char **argv)
{
    struct program_options options = {.by = TABLE_BY_LINE};
    const bool good = program_read(argc, argv, ":o:p:" PROGRAM_SHORT, run_longs, &options);
    int status = good ? program_run(&options) : 2;
    program_options_free(&options);
    return status;
}
#endif

int command_run(int argc, char **argv)
{
    struct record_options options = {.run = {.backend = BACKEND_AUTO}};
    struct recipe recipe = {.kernel = NULL};
    struct kernel_run run = {.recipe = &recipe, .options = &options.run};
    int option;

#ifdef HAVE_DW
    if (program_asked(argc, argv))
        return run_program(argc, argv);
#endif
    while ((option = command_option(argc, argv, ":o:" RECORD_SHORT, run_longs)) != -1) {
        if (option == '?')
            return 2;
        if (option >= PROGRAM_KERNEL)
            return command_not_program(argv[0], option, run_longs);
        if (option == 'o' && !command_trace_name(argv[0], optarg))
            return 2;
        if (option == 'o')
            run.path = optarg;
        else if (option == OPTION_SHOW)
            run.show = true;
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
    if (run.path && strcmp(run.path, "-") && !trace_may_replace(run.path, &error))
        return command_fail(argv[0], &error);
    const struct kernel *kernel = dialect_kernel(name, options.run.backend, &error);
    if (kernel)
        recipe_init(&recipe, kernel);
    int status = !kernel || !recipe_apply(&recipe, &options.words, &error)
                     ? command_fail(argv[0], &error)
                     : kernel_run(&run, dialect_is_file(name));
    recipe_free(&recipe);
    return status;
}
