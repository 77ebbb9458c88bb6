/* driver.h - from the files of an ordinary CUDA program to records: the part of hostcuda/ that runs in
 * the bankscope process. hostcuda.h is the tour of the folder.
 */
#ifndef BANKSCOPE_HOSTCUDA_DRIVER_H
#define BANKSCOPE_HOSTCUDA_DRIVER_H

#include "hostcuda/records.h"
#include "instrument/instrument.h"

/* ---- rewrite.c: CUDA's syntax to C++ ----------------------------------------------------------- */

/* A growing text. */
struct rewrite_text {
    char *at; /* NULL while empty; ends with a null byte */
    size_t length, room;
};
/* What a file looks like before it is compiled. */
struct rewrite_seen {
    int launches, kernels;   /* <<< and __global__ */
    bool main;               /* int main( */
    bool dialect;            /* KERNEL( of the viewer's dialect */
    struct rewrite_dynamic { /* extern __shared__ T name[] */
        char name[64], type[64], file[256];
        int line;
    } dynamic[64];
    int dynamics;
    /* "NAME\tPARAMETER\tPARAMETER\n" of each kernel; to be freed. A template's name may have arguments to
     * propose: "transpose<float, 32>". */
    struct rewrite_text kernel_list;
};
/* Where an #include leads: the path to write instead, absolute, or NULL to leave it. `quoted`: "name"
 * rather than <name>. The path stays the callee's. */
typedef const char *(*rewrite_include)(void *context, const char *name, bool quoted);
/* Rewrites launches and extern __shared__ of a source, and includes as `include` says (NULL: none).
 * Every line of the result is that line of the source. false: out of memory or a launch that cannot
 * be read; *error says line and what. */
bool rewrite_source(const char *source, size_t length, const char *file, rewrite_include include,
                    void *context, struct rewrite_text *to, struct rewrite_seen *seen,
                    struct error *error);
bool rewrite_append(struct rewrite_text *text, const char *string);
void rewrite_text_free(struct rewrite_text *text);

/* ---- call.c: a main() for kernels that have none ------------------------------------------------- */

enum { CALLS_MOST = 64 };
/* Launches and the arrays that they need, as --call and --array say:
 *
 *     transpose<<<dim3(4, 4), dim3(32, 8)>>>(out, in, 128)      float in[128][128] = random
 */
struct program_calls {
    const char *call[CALLS_MOST], *array[CALLS_MOST];
    int calls, arrays;
};
/* Whether text is an array; false: *error says what it must be. */
bool call_check_array(const char *text, struct error *error);
/* Appends the main() that does it. `kernels` is a kernel_list, in which the kernels need not be. false:
 * *error names what is missing and proposes it. */
bool call_compose(const struct program_calls *calls, const char *kernels, struct rewrite_text *to,
                  struct error *error);
/* Writes the options that launch one of the kernels; an empty text if there is none. `dynamic`: with
 * dynamic shared memory. */
void call_propose(const char *kernels, bool dynamic, char *text, size_t room);

/* ---- assembly.c: what becomes of the compiler's text ------------------------------------------- */

/* Writes g++'s assembly with space between variables and with a twin, which has no hooks, of each
 * function that a kernel may call; functions of the host's lose theirs (x86-64). `kernels` is a
 * kernel_list; `alone`: the program has no other source. false: it could not be written. */
bool assembly_write(const char *text, size_t length, const char *kernels, bool alone, FILE *file);

/* ---- build.c: from sources to a program ---------------------------------------------------------- */

enum { PROGRAM_MOST = 256 }; /* sources, and words for the compiler */

/* What is to be built. Nothing is owned. */
struct program_request {
    const char *source[PROGRAM_MOST];
    int sources;
    const char *word[PROGRAM_MOST]; /* -I, -D, -l, ... for the compiler */
    int words;
    struct program_calls calls;
    bool confined; /* the compiler works in a box (record.h) */
};
struct program_file {
    char *path;      /* as the user wrote it, or the including file's folder and the name */
    char *real;      /* absolute, without links */
    char *rewritten; /* what is compiled */
};
/* A built program in a folder of its own. */
struct built_program {
    char folder[256];
    char executable[300];
    struct program_file *file; /* sources, then what they include */
    size_t files, room;
    struct rewrite_seen seen;  /* over all */
    struct rewrite_text calls; /* the main() of --call */
    bool confined;             /* as was asked for */
    bool special;              /* it names a special function of the C++ library */
};
/* What a file is: ordinary CUDA, a kernel in the dialect, or neither by itself. */
enum program_kind { PROGRAM_NEITHER, PROGRAM_PLAIN, PROGRAM_DIALECT };
enum program_kind program_kind(const char *path);
/* Rewrites, compiles and links with $CXX or g++. `engine` is the library, `include` the folder of the
 * stand-in headers. false: *error has the compiler's first error. program_free in any case. */
bool program_build(struct built_program *program, const struct program_request *request,
                   const char *engine, const char *include, struct error *error);
/* Whether what compilers make of the request may be kept (cache.c): nothing is of a confined program, nor
 * of what may depend on files that no compiler lists. */
bool program_is_kept(const struct program_request *request);
/* Removes the folder. */
void program_free(struct built_program *program);

/* ---- collect.c: runs the program, reads its records ---------------------------------------------- */

/* Receives what a program does, in its order. Any function may be NULL; false ends the reading (the
 * program goes on). Strings and arrays live until it returns. */
struct record_sink {
    bool (*launch)(void *context, const struct record_launch *launch, struct error *error);
    bool (*stage)(void *context, const struct record_stage *stage, struct error *error);
    bool (*block)(void *context, uint64_t index, struct error *error);
    /* lanes, addresses and values of `lanes` lanes; value is NULL when not recorded */
    bool (*access)(void *context, const struct record_access *access, int lanes,
                   const uint8_t *lane, const int64_t *value, struct error *error);
    bool (*block_end)(void *context, struct error *error);
    bool (*launch_end)(void *context, const struct record_launch_end *end, struct error *error);
    bool (*fault)(void *context, const struct record_fault *fault, struct error *error);
    bool (*exit)(void *context, const struct record_exit *end, struct error *error);
    bool (*function)(void *context, const struct record_function *function, struct error *error);
    void *context;
};
/* A sink that hands everything to each of `count` sinks in turn. Both must outlive it. */
struct record_tee {
    const struct record_sink *sinks;
    int count;
};
struct record_sink record_tee_sink(struct record_tee *tee);
/* What the engine is to record: NULL and 0 are the engine's defaults. */
struct record_choice {
    const char *kernel; /* extended regular expression */
    const char *launch; /* number */
    const char *blocks; /* A-B */
    const char *seconds;
    bool values;
    bool output_apart;            /* what the program prints goes to standard error */
    bool silent;                  /* ... or nowhere */
    const struct record_box *box; /* NULL: it may do what it likes */
    /* For a program that runs on a GPU as it is: the library that records it there (inject/), and the
     * folder for its machine code. */
    const char *inject, *cubins;
};
/* For someone else's program. */
struct record_box {
    int input, output;   /* file descriptors of its standard input and output */
    size_t output_bytes; /* that it may write to a file */
    int seconds;         /* of the processor */
    int wall;            /* seconds of the clock, after which it is killed */
    bool open;           /* with limits, but with all system calls */
};
/* The bankscope process's end of a ring (ring.h, ring.c). */
struct ring_reader {
    struct ring *ring;
    uint64_t taken;
    int file;     /* for the program; -1: none */
    bool damaged; /* the counts in it cannot be */
};
bool ring_make(struct ring_reader *reader, struct error *error);
/* Bytes that were written and not taken yet, `room` at most. */
size_t ring_take(struct ring_reader *reader, char *to, size_t room);
/* What the program has counted until now. */
void ring_counts(const struct ring_reader *reader, struct record_exit *end);
void ring_free(struct ring_reader *reader);
/* Runs executable with words (words[0] is its name; ends with NULL) and hands its records to the
 * sink. Returns its exit status (PROGRAM_SIGNAL and more: by that signal), or -1 with *error set. */
enum { PROGRAM_SIGNAL = 256 };
int program_run(const char *executable, char *const *words, const struct record_choice *choice,
                const struct record_sink *sink, struct error *error);

/* ---- lines.c: from addresses to the user's source ------------------------------------------------- */

/* A shared variable of the program. */
struct source_array {
    char *name;     /* "tile" */
    char *function; /* that declares it, "" for none */
    char *type;     /* as a trace names it: "float", "struct pair" */
    uint32_t from;  /* first byte in the segment, or RECORD_DYNAMIC */
    uint32_t bytes; /* of all; 0 for a dynamic one */
    int element;    /* bytes of an element */
    int dims, dim[MAX_ARRAY_DIMS];
    int line;    /* of the declaration */
    int members; /* of a struct; its own */
    struct trace_member *member;
};
/* Where an instruction is. Owned by the lines. */
struct source_call {
    const char *file; /* as the user wrote it */
    int line;
};
enum { CALL_DEPTH = 8 };
struct source_place {
    uint64_t pc;
    const char *file; /* as the user wrote it; "" when unknown */
    int line;         /* 0: unknown */
    const char *function;
    enum op op; /* of an instruction of a GPU that accesses shared memory, OPS: unknown */
    int calls;  /* by which it was inlined, in the user's files, the nearest first */
    struct source_call call[CALL_DEPTH];
};
struct source_lines;
/* Opens the debug information of a built program. Never fails: without it places are unknown. */
struct source_lines *lines_open(const struct built_program *program);
/* Those of a program that runs on a GPU as it is; its cubins are in the folder. Functions come by the
 * sink, before the first place in them is asked for. */
struct source_lines *lines_open_gpu(const char *folder);
struct record_sink lines_sink(struct source_lines *lines);
bool lines_on_gpu(const struct source_lines *lines);
void lines_free(struct source_lines *lines);
/* The place of the instruction before pc: in the user's files, where the code was inlined from ours. */
const struct source_place *lines_place(struct source_lines *lines, uint64_t pc);
/* What an access is: on a GPU the machine code tells atomic operations apart. */
enum op lines_operation(struct source_lines *lines, const struct record_access *access);
/* The first of an instruction and its callers that is in the user's files, else pc: code of ours that
 * was not inlined is the line that called it. */
uint64_t lines_user_pc(struct source_lines *lines, uint64_t pc,
                       const uint32_t caller[RECORD_CALLERS]);
/* The mangled name of the function whose code begins there, "" when it is unknown. Owned by the lines. */
const char *lines_symbol(struct source_lines *lines, uint64_t address);
/* The text of a source line without white space around it, "" when there is none. Owned by the lines. */
const char *lines_text(struct source_lines *lines, const char *file, int line);
/* Every shared variable, by address. */
const struct source_array *lines_arrays(const struct source_lines *lines, size_t *count);
/* The index of the variable that an address is in, or -1. */
int lines_array(const struct source_lines *lines, uint32_t addr);
/* The name and type of the dynamic array that the code at a place means. */
void lines_dynamic(const struct source_lines *lines, const struct source_place *place,
                   const char **name, const char **type);

/* ---- machine.c: the recording as nvcc's machine code does it -------------------------------------- */

/* What nvcc makes of a program, and a sink that changes what is recorded accordingly. */
struct machine;
/* Starts nvcc ($NVCC, or the one that is found), where there is one, in the background; the request
 * must outlive the machine. `include`: the folder of the stand-in headers. */
struct machine *machine_start(const struct program_request *request, const char *include);
/* Ends nvcc and removes what it made. NULL is fine. */
void machine_free(struct machine *machine);
/* A sink that hands on to `to`. Waits for nvcc: a program that had to wait in the middle of a kernel would
 * be taken for one that hangs. Program and lines must outlive it. */
struct record_sink machine_sink(struct machine *machine, const struct built_program *program,
                                struct source_lines *lines, const struct record_sink *to);
/* Hands on what is left of a launch in which the program ended. */
bool machine_finish(struct machine *machine, struct error *error);
/* Whose code the accesses of the present launch are: "a GPU", "nvcc 13.0 for sm_90"; "": as they are
 * written. machine: NULL is fine. */
const char *machine_told(const struct machine *machine, const struct source_lines *lines);
/* A line some of whose accesses stayed as written, because nvcc's code is not enough to tell what
 * became of them. */
struct machine_line {
    const char *file; /* the program's */
    int line;
    enum op op;
};
/* How many there are; the first `most` of them go to *line. */
size_t machine_undecided(const struct machine *machine, struct machine_line *line, size_t most);
/* One line for each reason why accesses are told as written although there is an nvcc. */
void machine_print_notes(FILE *file, const struct machine *machine, const char *prefix);

/* ---- gpu_places.c: from a GPU's code to source lines ----------------------------------------------- */

struct gpu_places;
/* Places in the code of the cubins in the folder, which must outlive them. */
struct gpu_places *gpu_places_new(const char *folder);
void gpu_places_free(struct gpu_places *places);
bool gpu_places_add(struct gpu_places *places, const struct record_function *function,
                    struct error *error);
/* Fills in file, line and op for the instruction at pc; for code without line table the file is "+0x1a0",
 * where in the kernel it is, and line 0. Strings are owned by the places. */
void gpu_places_find(struct gpu_places *places, uint64_t pc, struct source_place *place);

/* ---- table.c: what was recorded, by launch, source line and array ------------------------------ */

/* Sums over warp accesses. */
struct tally {
    uint64_t instructions, accesses, passes, conflicts; /* accesses: of lanes */
    int max_ways;
};
/* One instruction's accesses to one array. */
struct table_row {
    uint64_t pc;
    uint32_t caller[RECORD_CALLERS];
    enum op op;
    int array; /* lines_array, -1: unknown, -2: dynamic shared memory */
    struct tally tally;
};
struct launch_table {
    char *name;
    uint64_t number;
    char code[40]; /* machine_told */
    uint32_t grid[3], block[3], dynamic_bytes;
    struct record_launch_end end;
    bool ended;
    struct table_row *row;
    size_t rows, room;
    uint32_t *index; /* private: open hash over row */
    size_t index_size;
};
enum { ARRAY_UNKNOWN = -1, ARRAY_DYNAMIC = -2 };

struct program_table {
    struct source_lines *lines;
    const struct machine *machine; /* of the recording; NULL: it is as written */
    struct launch_table *launch;
    size_t launches, room;
    struct record_exit end; /* zeros: the program did not say */
    struct record_fault *fault;
    size_t faults, fault_room;
};
void table_init(struct program_table *table, struct source_lines *lines);
void table_free(struct program_table *table);
struct record_sink table_sink(struct program_table *table);

/* How rows are gathered. */
enum table_by { TABLE_BY_LINE, TABLE_BY_CALL, TABLE_BY_ARRAY };
/* The tables of all recorded launches, those of one kernel and shape together. */
void table_print(FILE *file, const struct program_table *table, enum table_by by);
void table_print_csv(FILE *file, const struct program_table *table, enum table_by by);
/* The object of `run --json` (DESIGN section 5). */
bool table_print_json(FILE *file, const struct program_table *table, enum table_by by,
                      struct error *error);
/* One line for each fault, each beginning with `prefix`. Returns how many are errors (leaks are not). */
int table_print_faults(FILE *file, const struct program_table *table, const char *prefix);
/* A line if the program ended inside a kernel. Returns 1 then, else 0. */
int table_print_cut(FILE *file, const struct program_table *table, const char *prefix);
/* One line for each reason why something was left out. */
void table_print_notes(FILE *file, const struct program_table *table, const char *prefix);

/* ---- trace.c: launches as traces ---------------------------------------------------------------- */

/* Hands out a launch as a trace when it has ended: called with its header before the accesses; a sink
 * without functions leaves it out. false: *error says why. */
struct program_traces {
    struct source_lines *lines;
    const struct machine *machine; /* as of a table */
    bool (*begin)(void *context, const struct record_launch *launch, struct trace_sink *sink,
                  struct error *error);
    bool (*end)(void *context, struct error *error); /* of a launch that begin took */
    void *context;
    struct trace_recording *recording; /* private */
};
void traces_init(struct program_traces *traces, struct source_lines *lines);
void traces_free(struct program_traces *traces);
struct record_sink traces_sink(struct program_traces *traces);
/* After the program's end: hands out the launch in which it ended, if it did. */
bool traces_finish(struct program_traces *traces, struct error *error);

/* ---- single.c: one launch, and no tables --------------------------------------------------------- */

/* Runs a built program and hands the first launch that used shared memory to the sink, if there is one;
 * choice->launch names another. Returns the program's exit status, as program_run does; or -1: *error
 * says why, or what the checker found first. */
int program_record_single(const struct built_program *program, struct source_lines *lines,
                          char *const *words, const struct record_choice *choice,
                          const struct trace_sink *to, struct error *error);

#endif
