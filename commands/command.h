/* command.h - what the commands share.
 *
 * A command is one file, NAME.c, with `int command_NAME(int argc, char **argv)`, its help text
 * `const char NAME_help[]` and its options `const struct option NAME_longs[]`, and a row in the table of
 * bankscope.c. argv[0] is the command's name. It returns the exit status: 0, 1 (it failed) or 2 (it was
 * called wrongly), and prints one line on standard error for the last two, by command_fail or
 * command_usage. (check and verify end with 1 after a report on standard output, too.)
 */
#ifndef BANKSCOPE_COMMAND_H
#define BANKSCOPE_COMMAND_H

#include <getopt.h>
#include "program/excuse.h"
#include "program/program.h"
#include "kernels/catalogue.h"
#include "system/paths.h"
#include "system/process.h"
#include "system/progress.h"

struct command {
    const char *name;
    const char *summary;               /* one line, for the list of commands */
    const char *help;                  /* usage, then options, then examples; NULL: left out */
    int (*run)(int argc, char **argv); /* NULL: left out of this build */
    const struct option *longs;        /* its long options, up to a row without a name */
    const char *needs;                 /* of a command that is left out: the part it needs */
};

/* The commands in the order in which people meet them; ends with a row without a name. */
extern const struct command commands[];

/* ---- commands/command.c -------------------------------------------------------------------- */

/* Prints "bankscope COMMAND: ..." with a pointer to the help. Returns 2. */
int command_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints "bankscope COMMAND: " and the error's line, for a word that is wrong (command NULL: the
 * front door's). Returns 2. */
int command_wrong(const char *command, const struct error *error);

/* Prints "bankscope COMMAND: " and the error's line. Returns 1. */
int command_fail(const char *command, const struct error *error);

/* Says on standard error that a trace is cut or lacks records, if so. Returns 1 then, else 0: what
 * is whole has been used, but the user should be told. */
int command_check_end(const char *command, const char *path, const struct trace_end *end);

/* Loads a trace, or a part of it (NULL: all), with progress on standard error when that is a terminal
 * and it takes more than a second. As trace_load. */
bool command_load(const char *path, const struct trace_part *part, struct trace *trace,
                  struct error *error);

/* Shows "3 of 40 recorded" on standard error when that is a terminal and the work takes more than a
 * second; call it after each piece. */
void command_progress(size_t done, size_t of, const char *what);

/* What a process ends with: status, or 1 instead of 0 when standard output could not be written,
 * which then is said on standard error. */
int command_finish(int status);

/* A field of a table, quoted. Spreadsheets take some beginnings for a formula. */
void command_csv_field(FILE *file, const char *text);

/* "bankscope export 'my trace.jsonl'": the command as a shell takes it, as far as there is room. To be
 * called before getopt_long changes the order. */
void command_words(int argc, char **argv, char *text, size_t size);

/* commands/version.c: "Bankscope 1.0.0 (1a2b3c4)", with the commit if it was built from git. */
const char *command_program(char text[64]);

/* getopt_long with this program's messages: a wrong option has been reported by command_usage
 * when '?' is returned, and the caller returns 2. shorts must begin with ':'. */
int command_option(int argc, char **argv, const char *shorts, const struct option *longs);
/* The option that it returned as users know it: "--kernel", or "-I" where it has no long name. */
enum { OPTION_WORD = 32 };
void command_option_word(int option, const struct option *longs, char word[OPTION_WORD]);

/* Reads a whole number of least..most. false: reported by command_usage, which names `what`
 * ("--seed", "parameter E"); the caller returns 2. */
bool command_number(const char *command, const char *what, const char *text, int64_t least,
                    int64_t most, int64_t *number);

/* Whether a trace may have that name: not one of a picture. false: reported by command_usage. */
bool command_trace_name(const char *command, const char *path);

/* The index of a word in names (up to NULL). -1: reported by command_usage, which names the option
 * ("--by") and the words that it may be; the caller returns 2. */
int command_choice(const char *command, const char *option, const char *text,
                   const char *const *names);

/* ---- commands/stats.c ---------------------------------------------------------------------- */

/* What --by may be: enum stats_by in its order, then "access", then NULL. */
extern const char *const stats_by_names[];

/* ---- commands/help.c ----------------------------------------------------------------------- */

/* The command called `name`, or NULL: reported on standard error, with the nearest name, as from
 * the command `asker` (NULL: the front door); the caller returns 2. */
const struct command *command_find(const char *asker, const char *name);

/* Says on standard error which part a command that is left out needs. Returns 1. */
int command_left_out(const struct command *command);

/* ---- commands/options.c: the options of a recording ----------------------------------------- */

/* Their rows for getopt_long; the values are their letters, OPTION_INPUT and so on. */
enum { OPTION_INPUT = 256, OPTION_SEED, OPTION_BACKEND, OPTION_RECORDS, OPTION_FIRST_FREE };
#define RECORD_OPTIONS                                                                             \
    {"input", required_argument, NULL, OPTION_INPUT},                                              \
        {"seed", required_argument, NULL, OPTION_SEED},                                            \
        {"records", required_argument, NULL, OPTION_RECORDS},                                      \
    {                                                                                              \
        "backend", required_argument, NULL, OPTION_BACKEND                                         \
    }
#define RECORD_SHORT "p:"
/* The help text of these options. */
#define RECORD_HELP                                                                                \
    "  NAME=VALUE         a parameter of the kernel; -p NAME=VALUE is the same\n"                  \
    "  --input INPUT      random (the default), sorted, reverse, distinct, duplicates=N (of N\n"   \
    "                     different numbers), worst, hardest, theorem-3=STRATEGY (of "             \
    "worstcase's\n"                                                                                \
    "                     Lemma 2), family=PERCENT (near the worst), splits=n,n,... or\n"          \
    "                     file=PATH; 'bankscope list KERNEL' says which ones the kernel takes\n"   \
    "  --seed N           seed of random inputs (default 1)\n"                                     \
    "  --backend BACKEND  host, cuda (a GPU), or auto (the default), which is host: every\n"       \
    "                     machine has it, and it checks the most\n"                                \
    "  --records N        cuda: room for N accesses on the GPU (default 268435456)\n"

/* What NAME=VALUE, -p, --input, --seed, --backend and --records said. Points into argv. Begins as
 * {0}. */
struct record_options {
    struct recipe_words words;
    struct run_options run;
};
/* Reports an option of CUDA programs where there is none. Returns 2. */
int command_not_program(const char *command, int option, const struct option *longs);
/* Takes one of these options ('p': NAME=VALUE). false: reported by command_usage. */
bool record_option(const char *command, int option, const char *text,
                   struct record_options *options);

/* ---- commands/complete.c: what may be typed next ------------------------------------------- */

/* `bankscope --complete WORD...`, for the shells' completion: prints what the last word may become,
 * one candidate a line, after a tab what it is; a line "\tfiles EXTENSION..." stands for files that
 * end so (all files, without an extension) and folders. Does not look at what is typed of the last
 * word, except for NAME=. */
int command_complete(int argc, char **argv);

/* ---- commands/program*.c: CUDA programs as they stand ----------------------------------------- */

/* Whether the words after the command name ordinary CUDA sources (and not a kernel in the dialect), or,
 * for run, a program by its path after "--", which records itself on a GPU.
 * As all of program*.c, only with HAVE_DW. */
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
    PROGRAM_DIAGNOSTICS
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
    {                                                                                              \
        "apart", no_argument, NULL, PROGRAM_APART                                                  \
    }
/* Those of a compiler's command line. */
#define PROGRAM_SHORT "I:D:U:l:L:O:gs:f:"
/* The help text of those that run, advise and view share. */
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
    "                     is not written\n"                                                        \
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
    "  --race-memory MB   for finding races in global memory, six times what a launch touches\n"   \
    "                     (default 1024)\n"                                                        \
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
    char **arguments;   /* the program's own, ends with NULL; NULL: none */
    bool no_gpu;        /* a program that is built already runs on this machine */
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
};
/* The same, of all launches instead of one. Having none is no error here. */
int program_record_each(const char *command, const struct program_options *options,
                        struct launch_taker *taker, struct error *error);
int command_run_program(int argc, char **argv);

/* ---- commands/subject.c: what view, export, stats and advise are about ---------------------- */

/* Short options of a command that takes subjects: those of kernels and programs. */
#ifdef HAVE_DW
#define SUBJECT_SHORT RECORD_SHORT PROGRAM_SHORT
#else
#define SUBJECT_SHORT RECORD_SHORT
#endif
#define SUBJECT_OPTIONS RECORD_OPTIONS, PROGRAM_CHOICE
/* Instead of RECORD_HELP and PROGRAM_HELP, for help texts that are long enough. */
#define SUBJECT_HELP                                                                               \
    "  NAME=VALUE\n"                                                                               \
    "  --input, --seed, --records, --backend\n"                                                    \
    "                     of kernels, as in 'bankscope help view'\n"                               \
    "  --memory, --kernel, --launch, --blocks, --seconds, --call, --array\n"                       \
    "  --compiler, --no-nvcc, --device, --jobs, --leaks, --schedule,\n"                            \
    "  --excuse, --excuses, --race-memory, --host-reads, --build, --target\n"                      \
    "                     of CUDA programs, likewise, and their compiler's -I, -D, -l, -L, -f\n"

/* A recording: a trace's file, or a kernel or program with its options. */
struct subject {
    const char *name;
    const struct kernel *kernel; /* NULL: a trace's file, or a program */
    bool own;                    /* a kernel of the user's own, from FILE.cu */
    bool plain;                  /* a CUDA program as it stands */
    bool trace;                  /* a trace's file, whatever its name: nothing is compiled or run */
    struct record_options options;
    struct program_options program;
    char program_option[OPTION_WORD]; /* the last that was given, or "" */
};

enum { SUBJECTS = 16 };
/* Begins as {.command = ..., .most = ...}. Options apply to the subject named just before them, and to
 * those named directly before that; options before the first name apply to all. */
struct subjects {
    const char *command;
    int most, count;
    struct subject subject[SUBJECTS];
    int group;        /* private: the first that an option now belongs to, */
    bool option_last; /* and whether the last word was an option */
};

enum subject_taken { SUBJECT_TAKEN, SUBJECT_OTHER, SUBJECT_WRONG };
/* Takes what command_option has found when its short options begin with "-:" (option 1: a name or
 * NAME=VALUE). SUBJECT_OTHER: an option of the command's own; SUBJECT_WRONG: reported. `longs`:
 * the command's options. To be called for every option. */
enum subject_taken subjects_option(struct subjects *subjects, int option, const char *text,
                                   const struct option *longs);
/* Takes the words after "--", from argv[optind]: a program's arguments, or more names. false:
 * reported. */
bool subjects_rest(struct subjects *subjects, int argc, char **argv);
/* Finds out what each one is, and whether its options suit. Returns 0, or the exit status: reported. */
int subjects_find(struct subjects *subjects);
bool subject_find(struct subject *subject, struct error *error);
void subjects_free(struct subjects *subjects);
void subject_free(struct subject *subject);

bool subject_is_file(const struct subject *subject);
/* Reads or records it, into a sink or (a file: a part of it, NULL: all) into memory. *status becomes 1
 * when a program has faults or fails. */
bool subject_read(const char *command, struct subject *subject, const struct trace_sink *sink,
                  int *status, struct error *error);
bool subject_load(const char *command, struct subject *subject, const struct trace_part *part,
                  struct trace *trace, int *status, struct error *error);
/* Of a kernel: its recipe, to be freed in any case, and a run of it. */
bool subject_recipe(const struct subject *subject, struct recipe *recipe, struct error *error);
bool subject_run(const struct subject *subject, const struct recipe *recipe,
                 const struct trace_sink *sink, struct error *error);
/* Whether the parameter that "NAME=VALUE" assigns is one of the kernel's. */
bool kernel_has_param(const struct kernel *kernel, const char *assignment);

/* ---- the commands -------------------------------------------------------------------------- */

#define COMMAND(name)                                                                              \
    int command_##name(int argc, char **argv);                                                     \
    extern const char name##_help[];                                                               \
    extern const struct option name##_longs[]

COMMAND(list);
COMMAND(run);
COMMAND(stats);
COMMAND(advise);
COMMAND(sweep);
COMMAND(view);
COMMAND(export);
COMMAND(figure);
COMMAND(lesson);
COMMAND(check);
COMMAND(verify);
COMMAND(bench);
COMMAND(help);

#endif
