/* program.h - CUDA programs as they stand, from their files to what is told of them: the tour of this folder,
 * and the interface between its parts.
 *
 *     app.cu --compile/--> PTX, host program --session.c: runs it--> program/records.h
 *                                              runtime/, in the child, has the machine execute the PTX
 *     ./app on a GPU --inject/--> program/stream.h --collect.c--+
 *     records --session_tell.c----------------------------------+--> struct program_sink
 *                                                                        +--> report/table.c: by line, call, array
 *                                                                        +--> report/trace.c: launches as traces
 *
 * report/report.h has reports that are read again, database.h programs of a build system.
 *
 * scan.c says what is in a source before it is compiled; call.c and alone.c launch kernels that have no host program;
 * lines.c finds places in the source, excuse.c says which faults are not told of, demangle.c makes names of C++
 * fit for people.
 */
#ifndef BANKSCOPE_PROGRAM_PROGRAM_H
#define BANKSCOPE_PROGRAM_PROGRAM_H

#include "program/compile/compile.h"
#include "program/compile/widths.h"
#include "machine/given.h"
#include "program/records.h"
#include "program/stream.h"

/* ---- scan.c: sources before they are compiled ---------------------------------------------------- */

/* What is in a source. */
struct source_seen {
    int launches, kernels; /* <<< and __global__ */
    bool main;             /* int main( */
    bool dialect;          /* KERNEL( of the viewer's dialect */
    bool dynamic;          /* extern __shared__ */
    int threads;           /* of a block of the first kernel; 0: any */
    /* "NAME\tPARAMETER\tPARAMETER\n" of each kernel; freed by seen_free. A template's name may have
     * arguments to propose: "transpose<float, 32>". */
    char *kernel_list;
};
/* Whether a file is called as a source in C, C++ or CUDA is. */
bool source_is_named(const char *path);
/* Adds what is in the file to *seen, which begins as {0}. false: it cannot be read; *error says why. */
bool source_scan(const char *path, struct source_seen *seen, struct error *error);
void seen_free(struct source_seen *seen);
/* What a file is: ordinary CUDA, a kernel in the dialect, or neither by itself. */
enum program_kind { PROGRAM_NEITHER, PROGRAM_PLAIN, PROGRAM_DIALECT };
enum program_kind program_kind(const char *path);

/* ---- call.c: launches of kernels that have no main() ------------------------------------------------ */

enum { CALLS_MOST = 64, CALLS_KNOWN = 64 };
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
/* `kernels` is a kernel_list (NULL: none), in which the kernels need not be. false: *error names what is missing and
 * proposes it. */
bool call_check(const struct program_calls *calls, const char *kernels, struct error *error);
/* Writes launches with arguments of the types that the arrays have, for a compiler that takes from them which instances
 * of templates are wanted. */
void call_put_typed(const struct program_calls *calls, FILE *to);
/* Writes what is compiled behind the source: the launches, in a function that is never called, and variables with
 * what is asked for of names. */
#define CALL_KIND "bankscope_kind_"
#define CALL_WHOLE "bankscope_whole_"
#define CALL_REAL "bankscope_real_"
void call_compose(const struct program_calls *calls, const struct given_names *names, FILE *to,
                  struct error *error);
/* Writes the options that launch one of the kernels; an empty text if there is none. */
void call_propose(const struct source_seen *seen, char *text, size_t room);

/* ---- demangle.c: C++'s names of functions -------------------------------------------------------- */

/* A kernel's or function's name without result and parameters: "transpose<float>" for _Z9transposeIfEvPT_; as it
 * is if it is not mangled. Freed by the caller. */
char *name_of_function(const char *mangled);

/* ---- what a program does ------------------------------------------------------------------------- */

enum { STAGES_MOST = 255 /* that a program names */ };
#define ROUND_UNNUMBERED UINT32_MAX
/* A launch. */
struct program_launch {
    uint64_t number;   /* from 0, in the program's order; of the first that it stands for */
    uint64_t launches; /* that it stands for */
    uint32_t process;  /* that launched the first, from 0, in the order of their first launches */
    uint32_t grid[3], block[3]; /* grid 0: of different shapes */
    uint32_t dynamic_bytes;     /* of shared memory */
    int warp, banks;            /* lanes; how many banks of 4 bytes there are */
    const char *name;
    /* The kernel that launched the first, and the place where it did; NULL: the host did. */
    const char *parent;
    uint64_t parent_pc; /* 0: not known */
};
enum program_space { SPACE_SHARED, SPACE_GLOBAL, SPACE_LOCAL };
/* One warp access, to shared or to global memory. Lanes are those of mask, ascending. */
struct program_access {
    uint64_t pc; /* a place: lines_place */
    uint64_t mask;
    uint32_t phase, round, slot;
    uint32_t stage;  /* that the program named, 0: none */
    uint32_t number; /* of the round, as the program counts; ROUND_UNNUMBERED */
    int warp;
    enum op op;
    int bytes; /* of each lane: 1, 2, 4, 8 or 16 */
    int lanes;
    const uint8_t *lane;
    /* Each lane's address in shared memory, or in global memory; the other one is NULL. */
    const uint32_t *addr;
    const uint64_t *global;
    const int64_t *value; /* the first 8 bytes at each address, or NULL */
};
/* An instruction that the followed warp executed, and a register that it wrote. Further registers of it follow with
 * first false. */
struct program_executed {
    uint64_t pc; /* a place; 0: not known */
    uint64_t mask;
    int line;         /* of the PTX */
    const char *text; /* of the instruction */
    bool first;
    const char *name, *type;    /* of the register; "": it wrote none */
    int bytes;                  /* of a lane */
    const unsigned char *value; /* of each lane of the mask, ascending */
};
/* Sums over warp accesses. Of global memory instructions are requests, passes sectors, conflicts the sectors
 * beyond the least possible, and max_ways is the most sectors of a request. Of local memory there are
 * instructions and accesses only. */
struct tally {
    uint64_t instructions, accesses, passes, conflicts; /* accesses: of lanes */
    int max_ways;
    uint64_t estimates, chances; /* as of struct machine_count */
};
/* What one instruction did in a whole launch. */
struct program_count {
    uint64_t pc;
    enum program_space space;
    enum op op;
    int array; /* lines_array, or ARRAY_UNKNOWN */
    struct tally tally;
};
/* What was found. */
struct program_fault {
    const char *kind;      /* "race", "out-of-bounds", ... */
    const char *text;      /* one line, without place and thread */
    uint64_t pc, other_pc; /* places; 0: not known */
    uint32_t block[3], thread[3];
    bool has_thread;
    uint64_t launch, count; /* launch: UINT64_MAX: none */
    bool error;             /* it is no mere remark */
};
/* How a launch ended, and how much of it was recorded. */
struct program_end {
    /* The kernel's code does nothing, though it has parameters: compilers remove what is not stored. */
    bool emptied;
    uint64_t blocks, recorded_blocks;
    /* Single accesses were asked for, and this many blocks are there with all of theirs; otherwise recorded_blocks. */
    bool single;
    uint64_t kept_blocks;
    /* Launches whose global memory was not looked through for races as a whole. */
    uint64_t partly_checked;
    uint64_t repeated; /* launches that did what one before had done, and were not executed again */
    uint64_t dropped;  /* accesses of recorded blocks that were not handed over */
    /* Instructions of the PTX that warps executed in the recorded blocks; 0: not known. */
    uint64_t instructions;
    uint32_t reason; /* why blocks were left out: enum record_reason */
};
/* How the whole run ended. */
struct program_exit {
    uint64_t launches;
    uint64_t lost; /* rows of records that found no room */
    /* On a GPU: */
    bool
        strangers; /* processes have run unrecorded: there were too many, or they were copies of recorded ones */
    uint32_t left;    /* processes that ended by a signal or _exit, or as another program */
    uint32_t running; /* processes that had not ended when the recording did */
    uint64_t
        unsent; /* launches that had begun when their process ended, of which nothing is known */
};

/* Receives what a program does, in its order. Any function may be NULL; false ends the reading (the
 * program goes on). Strings and arrays live until it returns. For each launch:
 *
 *     launch, count..., { block, { stage | access | executed... }, block_end }..., launch_end
 *
 * The end of its process may cut a launch short anywhere; then it has no launch_end, and others may follow it.
 * Counts are of all that the launch did; accesses are those that were kept. Where there are no counts (on a
 * GPU), accesses are all there is. */
struct program_sink {
    bool (*launch)(void *context, const struct program_launch *launch, struct error *error);
    bool (*count)(void *context, const struct program_count *count, struct error *error);
    bool (*stage)(void *context, uint32_t number, const char *name, struct error *error);
    bool (*block)(void *context, uint64_t index, struct error *error);
    bool (*access)(void *context, const struct program_access *access, struct error *error);
    bool (*executed)(void *context, const struct program_executed *executed, struct error *error);
    bool (*block_end)(void *context, struct error *error);
    bool (*launch_end)(void *context, const struct program_end *end, struct error *error);
    bool (*fault)(void *context, const struct program_fault *fault, struct error *error);
    bool (*exit)(void *context, const struct program_exit *end, struct error *error);
    bool (*function)(void *context, const struct record_function *function, struct error *error);
    void *context;
};
/* ---- sink.c: several sinks ---------------------------------------------------------------------- */

/* A sink that hands everything to each of `count` sinks in turn. Both must outlive it. */
struct program_tee {
    const struct program_sink *sinks;
    int count;
};
struct program_sink program_tee_sink(struct program_tee *tee);

/* ---- built.c, session.c: a program on this machine --------------------------------------------- */

/* Which memory is looked at. */
enum program_memory { MEMORY_SHARED, MEMORY_GLOBAL, MEMORY_ALL };
/* A warp whose instructions are told one by one. */
struct program_follow {
    uint64_t block;
    uint32_t warp;
};
/* What is to be recorded. 0 and NULL are the defaults, but for launch. */
struct program_choice {
    enum program_memory memory;
    const char *kernel;  /* extended regular expression; NULL: all */
    const char *launch;  /* number; NULL: every */
    const char *blocks;  /* A-B: those that are recorded; NULL: all */
    const char *seconds; /* of the processor that blocks may run without one's end */
    bool values;
    const struct program_follow *follow; /* of the launch that `launch` names; NULL: none */
    uint64_t accesses;                   /* of a launch's first blocks that are kept; 0: none */
    int warp;                            /* lanes; 0: 32 */
    int jobs;                            /* threads that run blocks; 0: one for each core */
    bool unchecked;                      /* without the checker */
    struct excuses *excuses;             /* faults that are not told of; NULL: none (excuse.h) */
    bool host_reads;       /* what the host reads before it waits; request.host_reads, too */
    uint64_t shadow_bytes; /* for races in global memory; 0: 1 GiB */
    bool leaks;            /* memory that is never freed is told of */
    uint64_t schedule;     /* seed of the order of warps; 0: ascending */
    const char *device;    /* the GPU that the program asks of; NULL: an H200 */
    bool output_apart;     /* what the program prints goes to standard error */
    bool silent;           /* ... or nowhere */
    /* Called now and then, with how many launches were begun, and how many blocks of the present one have
     * ended. false: the program is to end. NULL: nobody asks. */
    bool (*progress)(void *context, uint64_t launches, uint64_t done, uint64_t of);
    void *progress_context;
    /* For a program that runs on a GPU as it is: the library that records it there (inject/), and the
     * folder for its machine code. */
    const char *inject, *cubins;
};
enum { DEFAULT_KEPT = 1 << 18 /* accesses of a launch, for traces */ };

/* What is to be built. Nothing is owned. */
enum { PROGRAM_MOST = COMPILE_MOST };
struct program_request {
    const char *source[PROGRAM_MOST];
    int sources;
    const char *word[PROGRAM_MOST]; /* -I, -D, -l, ... for the compiler */
    int words;
    /* A build system's database, which tells sources and options (database.h), and the program in it; NULL: none.
     * The sources above then only choose the program. */
    const char *database, *target;
    enum compile_with with;
    struct program_calls calls;
    bool host_reads; /* the host part calls before it reads memory */
    char **
        reads; /* where not NULL, gets what was read if it was built (compiled_reads); freed by the caller */
};
/* A built program. */
struct built_program {
    struct compiled_program compiled;
    const char *source[PROGRAM_MOST]; /* as the user wrote them */
    int sources;
    struct database_program *database; /* that told the sources; NULL: none did */
    char folder[256];                  /* of files that were written for it, or "" */
    char *word[2 * CALLS_MOST + COMPILE_MOST + CALLS_KNOWN + 2]; /* of the launcher; owned */
    int words;                                                   /* 0: it is a program of its own */
    char libraries[512];      /* a folder with ours, for a program that others built; or "" */
    char *alias, *alias_path; /* a source that came as text: what it is called, and where it is */
    struct widths *widths;    /* of units with machine code */
    int widths_count;
};
/* Compiles and links. false: *error has one line; what the compiler said stands in built->compiled.messages.
 * program_free in any case. */
bool program_build(struct built_program *program, const struct program_request *request,
                   struct error *error);
void program_free(struct built_program *program);
/* Takes one that is built already, with CUDA 13's shared libraries, in whose place it gets ours. */
bool program_take(struct built_program *program, const char *executable, struct error *error);
/* ---- alone.c: kernels without a host program ------------------------------------------------------- */

/* Compiles the kernels of sources, or takes files of PTX, and checks launches against them: what is run is the
 * launcher (launcher/launcher.c), and no code of the user's but the PTX. */
bool alone_build(struct built_program *program, const struct program_request *request,
                 struct error *error);
/* Whether the request is for kernels without a host program: it has calls, or files of PTX. */
bool alone_asked(const struct program_request *request);
/* Whether a file is PTX, by its name. */
bool alone_is_ptx(const char *path);
/* Looks through all sources but objects; *first: the first one that has kernels, else the first of all. */
bool request_scan(const struct program_request *request, struct source_seen *seen, int *first,
                  struct error *error);

/* ---- small.c: the kernel compiler ------------------------------------------------------------------- */

/* Compiles a source with kernelc/ into the program's folder, as its next unit. behind: text that is compiled behind
 * it; instance: templates that are wanted. */
bool small_compile(struct built_program *program, const struct program_request *request,
                   const char *source, const char *behind, const char *const *instance,
                   int instances, struct error *error);

/* Writes the names of its kernels, one a line. */
bool program_kernels(const struct built_program *program, FILE *to, struct error *error);
/* Runs it with words (words[0] is its name; ends with NULL), and hands what it did to the sink when it has ended.
 * Places are those of `lines`, which was opened for it. Returns its exit status (PROGRAM_SIGNAL and more: by that
 * signal), or -1 with *error set. */
enum { PROGRAM_SIGNAL = 256 };
struct source_lines;
int session_run(const struct built_program *program, struct source_lines *lines, char *const *words,
                const struct program_choice *choice, const struct program_sink *sink,
                struct error *error);
/* Runs it and hands the first launch that used shared memory to the sink, if there is one; choice->launch names
 * another. Returns the program's exit status, as session_run does; or -1: *error says why, or what the checker
 * found first. */
int session_record_single(const struct built_program *program, struct source_lines *lines,
                          char *const *words, const struct program_choice *choice,
                          const struct trace_sink *to, struct error *error);

/* ---- collect.c: a program on a GPU --------------------------------------------------------------- */

/* The bankscope process's end of rings (ring.h, ring.c): of the file with all, and of one. */
struct rings_reader {
    struct rings *rings;
    int file; /* -1: none */
};
struct ring_reader {
    struct ring *ring; /* NULL: it is not mapped */
    uint64_t taken;
    int32_t owner; /* the process that writes */
    bool damaged;  /* the counts in it cannot be, or it cannot be mapped */
};
bool rings_make(struct rings_reader *all, struct error *error);
/* Tells the environment, which the program inherits, where they are. */
void rings_export(const struct rings_reader *all);
/* Nothing is read any more; the program runs on unrecorded. */
void rings_close(struct rings_reader *all);
/* What the program has counted until now. */
void rings_counts(const struct rings_reader *all, struct program_exit *end);
void rings_free(struct rings_reader *all);
/* false: no process has taken that ring yet. */
bool ring_open(struct ring_reader *reader, const struct rings_reader *all, int number);
/* Bytes that were written and not taken yet, `room` at most. */
size_t ring_take(struct ring_reader *reader, char *to, size_t room);
/* Launches that the process was to tell of, until now. */
uint64_t ring_begun(const struct ring_reader *reader);
/* Gives its memory back. */
void ring_end(struct ring_reader *reader);
/* Runs executable with words, as session_run, and hands its records to the sink as they come. */
int collect_run(const char *executable, char *const *words, const struct program_choice *choice,
                const struct program_sink *sink, struct error *error);

/* ---- lines.c: places in the user's source -------------------------------------------------------- */

/* A shared variable of the launch's kernel. Owned by the lines. */
struct source_array {
    char *symbol;         /* as the PTX has it */
    char name[80];        /* "tile" */
    const char *type;     /* as a trace names it: "float", "struct pair"; "": not known */
    uint32_t from, bytes; /* first byte in shared memory; of all, 0: as many as the launch has */
    int element;          /* bytes of an element */
    int dims, dim[MAX_ARRAY_DIMS];
    int members; /* of a struct */
    const struct trace_member *member;
    /* extern __shared__, or a part of it that a pointer names: there is no outermost dimension. */
    bool dynamic;
    /* A parameter of the kernel, or a variable of the module: nothing is told of its bytes. */
    bool global;
    bool pointer; /* a parameter that points to elements of the type */
};
enum { ARRAY_UNKNOWN = -1 };
/* Where an instruction is. Owned by the lines. */
struct source_call {
    const char *file; /* as the user wrote it */
    int line;
};
struct source_place {
    uint64_t pc;
    const char *file; /* as the user wrote it; "" when unknown */
    int line;         /* 0: unknown */
    int column;       /* from 1; 0: unknown */
    bool foreign;     /* it is known, but in no file of the user's */
    char *inner; /* the file of the code itself, as the PTX has it, and its line; NULL: not known */
    int inner_line;
    const char *function;
    enum op op;   /* of an instruction of a GPU that accesses shared memory, OPS: unknown */
    bool past_l1; /* likewise: an asynchronous copy past the L1 cache */
    int calls;    /* by which it was inlined, in the user's files, the nearest first */
    struct source_call call[CALL_DEPTH];
};
/* The lines of a built program, which must outlive them. */
struct source_lines *lines_open(const struct built_program *program);
/* The source lines of a program that runs on a GPU as it is, whose cubins are in the folder. lines_sink learns the
 * program's functions, which it must before the first place in them is looked up. */
struct source_lines *lines_open_gpu(const char *folder);
struct program_sink lines_sink(struct source_lines *lines);
bool lines_on_gpu(const struct source_lines *lines);
bool lines_of_ptx(const struct source_lines *lines);
void lines_free(struct source_lines *lines);
/* For whom the code was made, and by whom: "a GPU", "clang 14 for sm_80". */
const char *lines_told(const struct source_lines *lines);
/* Takes over what a run has told; the places below are in it. */
void lines_take(struct source_lines *lines, const struct records_taken *taken);
const struct records_taken *lines_taken(const struct source_lines *lines);
/* The launch whose arrays lines_arrays has from now on; RECORDS_NOTHING: none. */
void lines_launch(struct source_lines *lines, uint32_t launch);
/* Places of an access, by its row; of a site; of the program's own code, by a byte of it. 0: there is none. */
uint64_t lines_access(uint64_t access);
uint64_t lines_site(uint32_t site);
/* Whether a place is that of an access; *access is then its row. */
bool lines_is_access(uint64_t pc, uint64_t *access);
/* A path of the line table as the user wrote it; NULL: it is no file of the user's. Owned by the lines. */
const char *lines_user_file(struct source_lines *lines, const char *path);
/* The program, or NULL: it runs on a GPU as it is. */
const struct built_program *lines_program(const struct source_lines *lines);
uint64_t lines_host(uint64_t byte);
/* A line whose accesses are estimates: nvcc's machine code has others than the rules for its PTX give; or so many of
 * them are: requests to global memory that take sectors for which there is no exact rule, or turns of a loop of swaps on
 * shared memory, or what depends on which warp is first. */
struct source_estimate {
    const char *file; /* as the user wrote it; lines_estimate: NULL: it is no file of the user's */
    int line;
    const char *inner; /* the file as the PTX has it */
    enum op op;
    bool global,
        chance;        /* chance: which warp is first is the reason, and not the sectors or swaps */
    uint64_t accesses; /* 0: the machine code is the reason */
};
/* The index-th; false: no more. */
bool lines_estimate(struct source_lines *lines, size_t index, struct source_estimate *estimate);
/* What ptxas keeps in local memory of a kernel of that name, as a launch has it. NULL: nothing, or it is not known. */
const struct widths_spill *lines_spill(const struct source_lines *lines, const char *kernel);
/* The place in the user's files; of code that was inlined from this program's headers, where it was inlined. */
const struct source_place *lines_place(struct source_lines *lines, uint64_t pc);
/* What an access is: on a GPU the machine code tells atomic operations apart, and copies past the L1 cache. */
enum op lines_operation(struct source_lines *lines, uint64_t pc, enum op recorded);
/* A function's name as the source has it, without parameters. Freed by the caller. */
char *lines_function(const struct source_lines *lines, const char *symbol);
/* The text of a source line without white space around it, "" when there is none. Owned by the lines. */
const char *lines_text(struct source_lines *lines, const char *file, int line);
/* The shared variables of the launch, by address. */
const struct source_array *lines_arrays(const struct source_lines *lines, size_t *count);
/* Copies a text about a kernel (a row), in which "byte 70 of tile" becomes "tile[1][0], byte 2" or "tile[1][0]",
 * and "_Z5scalePf" "scale". */
void lines_name_elements(const struct source_lines *lines, uint32_t kernel, const char *text,
                         char *to, size_t room);
/* The index of the variable that an address is in, or ARRAY_UNKNOWN. */
int lines_array(const struct source_lines *lines, uint32_t addr);
/* The name of the array in global memory that an access (its place) is to; "": it is to none, or not known. Owned by the
 * lines. */
const char *lines_global_array(const struct source_lines *lines, uint64_t pc);
/* The array of that symbol, or ARRAY_UNKNOWN. */
int lines_array_named(const struct source_lines *lines, struct records_text name);
/* The one that an access is to: of that name, as the PTX has it (none: ""), or where its lowest and highest address
 * are; else ARRAY_UNKNOWN. */
int lines_array_of(const struct source_lines *lines, struct records_text name, uint32_t low,
                   uint32_t high);
/* Whether arguments of launches say where arrays are. */
bool lines_need_arguments(const struct source_lines *lines);

/* ---- listing.c: what the source became ------------------------------------------------------------ */

/* The PTX of a program's units, read once. */
struct listings;
struct listings *listings_new(struct source_lines *lines);
void listings_free(struct listings *listings);
/* Gives a header the instructions of the kernel that this access is of, and of the functions that it calls. Where
 * they are not known it stays without. */
void listing_add(struct listings *listings, uint64_t pc, struct trace_header *header);
/* The instruction of an access among those of the header, or -1. */
int listing_find(const struct listings *listings, uint64_t pc, const struct trace_header *header);

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

/* ---- table.c, table_lines.c, table_json.c: what was recorded, by launch, source line and array ---- */

/* One instruction's accesses to one array. */
struct table_row {
    uint64_t pc;
    enum op op;
    enum program_space space;
    int array; /* lines_array */
    struct tally tally;
};
struct launch_table {
    char *name;
    uint64_t number, launches; /* as of a struct program_launch */
    uint32_t process;          /* likewise */
    uint32_t grid[3], block[3];
    char *parent; /* likewise */
    uint64_t parent_pc;
    struct program_end end;
    int warp, banks;
    bool ended, counted; /* counted: rows are of counts, not of single accesses */
    struct table_row *row;
    size_t rows, room;
    struct hash_index index; /* private: of row */
};
/* A fault, with its text for people: "t.cu:12: race: ...". */
struct table_fault {
    const char *kind;
    const struct source_place *place; /* NULL: not known */
    char *text;
    uint64_t launch, count;
    bool error;
};

/* Under what conditions a report was made, for whoever compares two. Nothing is owned. */
struct table_about {
    const char *bankscope;   /* the version */
    const char *compiler;    /* "clang 14", "nvcc 13.0"; on a GPU "" */
    const char *device;      /* that the program asked of; on a GPU "" */
    int capability;          /* that it was compiled for: 80; on a GPU 0 */
    const char *const *word; /* what the compiler was told */
    int words;
};
struct program_table {
    struct source_lines *lines;
    enum program_memory memory; /* that was looked at; MEMORY_SHARED unless it is set */
    struct table_about about;   /* for JSON; the caller's */
    struct launch_table *launch;
    size_t launches, room;
    struct program_exit end; /* zeros: the program did not say */
    struct table_fault *fault;
    size_t faults, fault_room;
    const struct excuses *excuses; /* what became of them is told, too; NULL: there are none */
    bool unfolded;                 /* the text has kernels of libraries one by one */
};
void table_init(struct program_table *table, struct source_lines *lines);
void table_free(struct program_table *table);
struct program_sink table_sink(struct program_table *table);

/* How rows are gathered. */
enum table_by { TABLE_BY_LINE, TABLE_BY_CALL, TABLE_BY_ARRAY };
/* The tables of all recorded launches, those of one kernel and shape together. */
void table_print(FILE *file, const struct program_table *table, enum table_by by);
void table_print_csv(FILE *file, const struct program_table *table, enum table_by by);
/* The object of `run --json`. */
bool table_print_json(FILE *file, const struct program_table *table, enum table_by by,
                      struct error *error);
/* One line for each fault, each beginning with `prefix`; file NULL: none. Returns how many are errors (leaks are not). */
int table_print_faults(FILE *file, const struct program_table *table, const char *prefix);
/* A line for each launch in which the program, or a process of it, ended. Returns how many. */
int table_print_cut(FILE *file, const struct program_table *table, const char *prefix);
/* One line for each reason why something was left out. */
void table_print_notes(FILE *file, const struct program_table *table, const char *prefix);

/* ---- trace.c: launches as traces ---------------------------------------------------------------- */

/* Hands out a launch as a trace when it has ended: called with its header before the accesses; a sink
 * without functions leaves it out. false: *error says why. */
struct program_traces {
    struct source_lines *lines;
    bool (*begin)(void *context, const struct program_launch *launch, struct trace_sink *sink,
                  struct error *error);
    bool (*end)(void *context, struct error *error); /* of a launch that begin took */
    void *context;
    struct trace_recording *recording; /* private, as is this: */
    struct listings *listings;
};
void traces_init(struct program_traces *traces, struct source_lines *lines);
void traces_free(struct program_traces *traces);
struct program_sink traces_sink(struct program_traces *traces);
/* After the program's end: hands out the launch in which it ended, if it did. */
bool traces_finish(struct program_traces *traces, struct error *error);

#endif
