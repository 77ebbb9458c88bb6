/* program_options.h - a CUDA program as it stands on a command line: its options, and runs of it whose launches
 * are handed on. All of it needs HAVE_DW, but for the rows and help of options.
 */
#ifndef BANKSCOPE_PROGRAM_OPTIONS_H
#define BANKSCOPE_PROGRAM_OPTIONS_H

#include "program/excuse.h"
#include "program/program.h"

#include <getopt.h>

/* Whether the words after the command name ordinary CUDA sources (and not a kernel in the dialect), or,
 * for run, a program by its path after "--", which records itself on a GPU. */
bool program_asked(int argc, char **argv);
/* Rows of getopt_long for what run, advise and view take, and for what only run does. */
enum {
    PROGRAM_KERNEL = 1024,
    PROGRAM_LAUNCH,
    PROGRAM_BLOCKS,
    PROGRAM_SECONDS,
    PROGRAM_AS_WRITTEN,
    PROGRAM_BY,
    PROGRAM_JSON,
    PROGRAM_CSV,
    PROGRAM_CALL,
    PROGRAM_ARRAY,
    PROGRAM_COMPILER,
    PROGRAM_JOBS,
    PROGRAM_LEAKS,
    PROGRAM_DEVICE,
    PROGRAM_SCHEDULE,
    PROGRAM_EXCUSE,
    PROGRAM_EXCUSES,
    PROGRAM_RACE_MEMORY,
    PROGRAM_HOST_READS,
    PROGRAM_NO_GPU,
    PROGRAM_MEMORY,
    PROGRAM_BUILD,
    PROGRAM_TARGET,
    PROGRAM_APART,
    PROGRAM_MARKDOWN,
    PROGRAM_BASELINE,
    PROGRAM_FAIL_IF,
    PROGRAM_DIAGNOSTICS,
    PROGRAM_REGISTERS
};
#define PROGRAM_CHOICE                                                                             \
    {"kernel", required_argument, NULL, PROGRAM_KERNEL},                                           \
        {"launch", required_argument, NULL, PROGRAM_LAUNCH},                                       \
        {"blocks", required_argument, NULL, PROGRAM_BLOCKS},                                       \
        {"call", required_argument, NULL, PROGRAM_CALL},                                           \
        {"array", required_argument, NULL, PROGRAM_ARRAY},                                         \
        {"compiler", required_argument, NULL, PROGRAM_COMPILER},                                   \
        {"no-nvcc", no_argument, NULL, PROGRAM_AS_WRITTEN},                                        \
        {"device", required_argument, NULL, PROGRAM_DEVICE},                                       \
        {"jobs", required_argument, NULL, PROGRAM_JOBS},                                           \
        {"leaks", no_argument, NULL, PROGRAM_LEAKS},                                               \
        {"schedule", required_argument, NULL, PROGRAM_SCHEDULE},                                   \
        {"excuse", required_argument, NULL, PROGRAM_EXCUSE},                                       \
        {"excuses", required_argument, NULL, PROGRAM_EXCUSES},                                     \
        {"race-memory", required_argument, NULL, PROGRAM_RACE_MEMORY},                             \
        {"host-reads", no_argument, NULL, PROGRAM_HOST_READS},                                     \
        {"memory", required_argument, NULL, PROGRAM_MEMORY},                                       \
        {"build", required_argument, NULL, PROGRAM_BUILD},                                         \
        {"target", required_argument, NULL, PROGRAM_TARGET},                                       \
    {                                                                                              \
        "seconds", required_argument, NULL, PROGRAM_SECONDS                                        \
    }
#define PROGRAM_OPTIONS                                                                            \
    PROGRAM_CHOICE, {"by", required_argument, NULL, PROGRAM_BY},                                   \
        {"json", optional_argument, NULL, PROGRAM_JSON},                                           \
        {"csv", optional_argument, NULL, PROGRAM_CSV},                                             \
        {"markdown", optional_argument, NULL, PROGRAM_MARKDOWN},                                   \
        {"diagnostics", required_argument, NULL, PROGRAM_DIAGNOSTICS},                             \
        {"baseline", required_argument, NULL, PROGRAM_BASELINE},                                   \
        {"fail-if", required_argument, NULL, PROGRAM_FAIL_IF},                                     \
        {"registers", required_argument, NULL, PROGRAM_REGISTERS},                                 \
    {                                                                                              \
        "apart", no_argument, NULL, PROGRAM_APART                                                  \
    }
/* Short options, which are those of a compiler. */
#define PROGRAM_SHORT "I:D:U:l:L:O:gs:f:"
/* The help text of the options that run, advise and view share. */
#define PROGRAM_HELP                                                                               \
    "  -I, -D, -l, -L, -f passed to the compiler\n"                                                \
    "  -O0, -O1           clang: code in which more of the source is left (default -O3)\n"         \
    "  -std=c++20         the language; -std=c++17 unless you choose another\n"                    \
    "  --memory WHAT      record accesses to shared memory (the default), to global memory (its\n" \
    "                     requests and sectors of 32 bytes), or to all\n"                          \
    "  --build FOLDER     take sources and options from FOLDER/compile_commands.json (CMake's,\n"  \
    "                     with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON): of the program that has the\n" \
    "                     source that is named, of --target, or of the only one with a main()\n"   \
    "  --target NAME      the program in it\n"                                                     \
    "  --kernel REGEX     record only kernels whose name matches\n"                                \
    "  --launch N         record only this launch, counted from 0\n"                               \
    "  --blocks A-B       record only these blocks of each launch\n"                               \
    "  --seconds N        end a launch when no block has ended for N seconds of the processor\n"   \
    "                     (default 20)\n"                                                          \
    "  --call LAUNCH      launch a kernel of a file that has no main(), or of PTX, for example\n"  \
    "                     --call 'transpose<<<dim3(4, 4), dim3(32, 8)>>>(out, in, 128)';\n"        \
    "                     no code of the host's is run\n"                                          \
    "  --array ARRAY      an array of device memory for --call: 'float in[16384] = random',\n"     \
    "                     or = random BELOW, index, zero, a number, file=PATH; without =, it\n"    \
    "                     is not written; behind it, ' > PATH' says where it goes in the end\n"    \
    "  --compiler NAME    nvcc (the default where it is installed), clang, or small: our own, "    \
    "for\n"                                                                                        \
    "                     kernels that --call launches, as they are written\n"                     \
    "  --no-nvcc          the same as --compiler clang\n"                                          \
    "  --device NAME      the GPU that programs ask of, as in --device A100 (default H200)\n"      \
    "  --jobs N           run blocks on N cores (default all; 1 repeats a run exactly)\n"          \
    "  --leaks            tell of device memory that is never freed\n"                             \
    "  --host-reads       tell of results that the host reads before it has waited for them\n"     \
    "  --excuse WHAT      do not tell of faults of a kind (race), or at a place:\n"                \
    "                     race@reduce.cu:17, any@reduce.cu, race@reduce.cu:17-20, any@reduce()\n"  \
    "  --excuses FILE     the same, one on each line; # begins a comment\n"                        \
    "  --race-memory MB   for finding races in global memory: a third to ten times what a\n"       \
    "                     launch touches (default 1024)\n"                                         \
    "  --schedule ORDER   of warps that take turns: ascending (the default), or random, as\n"      \
    "                     --seed N draws it\n"

enum { CONDITIONS_MOST = 32 /* --fail-if */ };
/* What the command line says of a program. Points into argv; begins as {0}. */
struct program_options {
    struct program_request request;
    struct program_choice choice;
    struct excuses excuses; /* choice.excuses, if there are any */
    enum table_by by;
    bool staged; /* by stages or by their rounds, as by_stage says, instead of `by` */
    enum stats_by by_stage;
    uint64_t seed;                                   /* of --schedule random; 0: not given */
    const char *json, *csv, *markdown, *diagnostics; /* a file, or "-"; NULL: none */
    bool sarif;           /* diagnostics are SARIF, and not gcc's lines */
    const char *baseline; /* a report that this one is compared with; NULL: none */
    const char *condition[CONDITIONS_MOST];
    int conditions;     /* that must not hold */
    const char *output; /* -o */
    /* --registers: what a thread computes is told, instruction by instruction. */
    struct program_follow follow;
    int64_t thread;   /* of the block; with choice.follow set */
    int line;         /* of the source; 0: of all lines */
    char **arguments; /* the program's own, ends with NULL; NULL: none */
    bool no_gpu;      /* a program that is built already runs on this machine */
};
/* Whether it is an option of a program, and not of a kernel's recording. */
bool program_has_option(int option);
/* Takes one of these options. false: reported by command_usage. */
bool program_option(const char *command, int option, const char *text,
                    struct program_options *options);
/* Reads a command line of options, sources, "--" and the program's arguments. false: reported.
 * program_options_free afterwards in any case. */
bool program_read(int argc, char **argv, const char *shorts, const struct option *longs,
                  struct program_options *options);
void program_options_free(struct program_options *options);
/* Builds and runs the program; what it prints goes to standard error. Hands the launch with the most
 * conflicts, of those that the options choose, to the sink. Says on standard error which it is, if
 * there are several, and what faults there were. Returns the status to end with: 0, that of the
 * program, 1 for faults; or -1: *error says why there is no launch. */
int program_record(const char *command, const struct program_options *options,
                   const struct trace_sink *to, struct error *error);
/* Takes all launches that the options choose, one after another. */
struct launch_taker {
    /* Sets the sink that gets the launch, or leaves it empty: then it is skipped, without `end`. */
    bool (*begin)(void *context, const struct program_launch *launch, struct trace_sink *sink,
                  struct error *error);
    bool (*end)(void *context, struct error *error);
    void *context;
    const struct program_table *table; /* set before `begin`: has the launch already */
    const char *chose_none;            /* set in the end, as program_chose_none */
    char stopped[400]; /* set in the end: the first launch that a fault stopped, and where; "" */
};
/* Records the program as program_record does, but gives all of its launches to the taker. A program without any is no
 * error here. */
int program_record_each(const char *command, const struct program_options *options,
                        struct launch_taker *taker, struct error *error);

/* The first source, or the database, as the user gave it. */
const char *program_source(const struct program_options *options);
/* The option (--kernel, --launch or --blocks) that left out all of the launches that there were, or NULL. */
const char *program_chose_none(const struct program_choice *choice,
                               const struct program_table *table);
/* Sets the error of a program of which the taker got nothing: that no launch used such memory, or that one stopped before
 * any of its blocks had ended. Returns false. */
bool program_has_none(const struct launch_taker *taker, const struct program_options *options,
                      struct error *error);

/* ---- program_launch.c: building and running ---------------------------------------------------- */

enum { PROGRAM_WORDS = 4096 };
/* The program's words: its source for a name, then its arguments. */
void program_words(const struct program_options *options, const struct built_program *built,
                   char *words[PROGRAM_WORDS]);
/* Builds it; what the compiler says goes to standard error. */
bool program_make(const char *command, struct built_program *built,
                  const struct program_options *options, struct error *error);
/* Says what was found (unless it is told elsewhere) and what was left out. Returns how many faults are errors. */
int program_say_faults(const char *command, int status, const struct program_table *table,
                       bool told);
/* The status to end with, as a shell has it: 128 and more for a signal. */
int program_status(int status);

#endif
