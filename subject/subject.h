/* subject.h - what a command is about: recordings, that is traces, kernels and programs, each with its options.
 */
#ifndef BANKSCOPE_SUBJECT_H
#define BANKSCOPE_SUBJECT_H

#include "kernels/catalogue.h"
#include "subject/arguments.h"
#include "subject/program_options.h"

/* ---- record_options.c: the options of a kernel's recording ------------------------------------- */

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

/* ---- kernel_run.c ------------------------------------------------------------------------------ */

/* A kernel that is recorded for its table on standard output. */
struct kernel_run {
    const struct recipe *recipe;
    const struct run_options *options;
    /* Where its trace goes; "-": standard output, and the table to standard error; NULL: none is written. */
    const char *path;
    bool show; /* the banks of the stage with the most conflicts, too */
};
/* own: the kernel is a user's, which runs in a process of its own. Returns the exit status: reported, as from "run". */
int kernel_run(const struct kernel_run *run, bool own);

/* ---- subject.c ----------------------------------------------------------------------------------- */

/* Says on standard error that a trace is cut or lacks records, if so. Returns 1 then, else 0: what
 * is whole has been used, but the user should be told. */
int command_check_end(const char *command, const char *path, const struct trace_end *end);

/* Loads a trace, or a part of it (NULL: all), with progress on standard error when that is a terminal
 * and it takes more than a second. As trace_load_part. */
bool command_load(const char *path, const struct trace_part *part, struct trace *trace,
                  struct error *error);

/* Rows of long options, of kernels and of programs. */
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

enum { SUBJECT_SOURCES = 16 }; /* of a program, at most */

/* A recording: a trace's file, or a kernel or program with its options. */
struct subject {
    const char *name;
    const char *also[SUBJECT_SOURCES - 1]; /* further sources of the program: */
    int alsos;
    const struct kernel *kernel; /* NULL: a trace's file, or a program */
    bool own;                    /* a kernel of the user's own, from FILE.cu */
    bool plain;                  /* a CUDA program as it stands */
    bool trace;                  /* a trace's file, whatever its name: nothing is compiled or run */
    struct record_options options;
    struct program_options program;
    char program_option[OPTION_WORD]; /* the last that was given, or "" */
};

/* The name in `most` bytes: of a long path the end, which says more than its beginning. Returns name. */
enum { SUBJECT_SHORT = 64 };
const char *subject_short(const struct subject *subject, size_t most, char name[SUBJECT_SHORT]);
/* Makes the sources of a program those of its request. */
void subject_request(struct subject *subject);

enum { SUBJECTS = 16 };
/* Begins as {.command = ..., .most = ...}. Options apply to the subject named just before them, and to
 * those named directly before that; options before the first name apply to all. */
struct subjects {
    const char *command;
    int most, count; /* most: SUBJECTS at most */
    bool separate;   /* sources are not joined to programs */
    struct subject subject[SUBJECTS];
    int group;        /* private: the first that an option now belongs to, */
    bool option_last; /* and whether the last word was an option */
};

/* An option of the command's own, as getopt_long returns it. false: reported. */
typedef bool command_taker(void *context, int option, const char *text);
/* Reads a command line of at least one recording, options of recordings, and options of the command's own, which `take`
 * gets. own: the short ones of these ("o:"); longs: all long options. What stands after "--" are a program's
 * arguments, or more recordings. false: reported. */
bool subjects_read(struct subjects *subjects, int argc, char **argv, const char *own,
                   const struct option *longs, command_taker *take, void *context);
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
/* A kernel's recipe, to be freed in any case, and a run of it. */
bool subject_recipe(const struct subject *subject, struct recipe *recipe, struct error *error);
bool subject_run(const struct subject *subject, const struct recipe *recipe,
                 const struct trace_sink *sink, struct error *error);
/* Whether the parameter that "NAME=VALUE" assigns is one of the kernel's. */
bool kernel_has_param(const struct kernel *kernel, const char *assignment);

#endif
