/* bankscope.c - the front door: a table of commands.
 *
 * A new command is a file commands/NAME.c, a prototype in commands/command.h and a row here.
 */
#include "commands/command.h"
#include "system/out_of_memory.h"
#include "system/output.h"
#include "teach/teach.h"

#include <signal.h>
#include <string.h>

#define HERE(name) name##_help, command_##name, name##_longs, NULL
#define LEFT_OUT(needs) NULL, NULL, NULL, needs

#ifdef HAVE_CAIRO
#define WITH_CAIRO(name) HERE(name)
#else
#define WITH_CAIRO(name) LEFT_OUT("cairo and pangocairo")
#endif
#ifdef HAVE_SDL
#define WITH_SDL(name) HERE(name)
#else
#define WITH_SDL(name) LEFT_OUT("SDL2, cairo and pangocairo")
#endif
#ifdef HAVE_CMARK
#define WITH_CMARK(name) HERE(name)
#else
#define WITH_CMARK(name) LEFT_OUT("cmark, cairo and pangocairo")
#endif

const struct command commands[] = {
    {"list", "show the kernels, or explain one", HERE(list)},
    {"run", "record a kernel and print its bank conflicts", HERE(run)},
    {"stats", "print the bank conflicts of a trace", HERE(stats)},
    {"advise", "find layouts of shared arrays that have fewer conflicts", HERE(advise)},
    {"sweep", "record a kernel with many sets of parameters", HERE(sweep)},
    {"view", "open the window on a trace, or on several side by side", WITH_SDL(view)},
    {"export", "write a picture of one or two traces", WITH_CAIRO(export)},
    {"figure", "draw a figure of the papers", WITH_CAIRO(figure)},
    {"lesson", "play a lesson", WITH_CMARK(lesson)},
    {"check", "grade an exercise", HERE(check)},
    {"verify", "compare the bank model with hardware counters", HERE(verify)},
    {"bench", "time the recording on a GPU", HERE(bench)},
    {"help", "list the commands, or explain one", HERE(help)},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

static void print_version(void)
{
    printf("bankscope " BANKSCOPE_VERSION "\n");
#ifndef HAVE_CAIRO
    printf("built without cairo: draws nothing\n");
#endif
#ifndef HAVE_SDL
    printf("built without SDL2: has no window\n");
#endif
#ifndef HAVE_CMARK
    printf("built without cmark: plays no lesson\n");
#endif
#ifndef HAVE_ZLIB
    printf("built without zlib: takes no trace compressed with gzip\n");
#endif
#ifndef HAVE_ZSTD
    printf("built without libzstd: takes no trace compressed with zstd\n");
#endif
#ifndef HAVE_DW
    printf("built without libdw: runs no CUDA programs as they stand\n");
#endif
#ifndef HAVE_CUDA
    printf("built without CUDA: records on the host\n");
#endif
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "bankscope: no command given ('bankscope help' lists them)\n");
        return 2;
    }
    if (strcmp(argv[1], "--version") == 0)
        return print_version(), 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return command_help(1, argv);
    if (strcmp(argv[1], "--complete") == 0)
        return command_complete(argc - 2, argv + 2);
    const struct command *command = command_find(NULL, argv[1]);
    if (!command)
        return 2;
    if (!command->run)
        return command_left_out(command);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return fputs(command->help, stdout), 0;
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, reported like a full disk, */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not become larger */
    out_of_memory_begin();
    outputs_begin();
    return command_finish(dispatch(argc, argv));
}
