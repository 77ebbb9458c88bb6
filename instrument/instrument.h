/* instrument.h - recording and measuring: the tour of this folder.
 *
 * One section per source file; what the host backend is made of has headers of its own (fiber.h:
 * functions that stop and go on; shadow.h: who touched what since which barrier, which finds
 * races; host.h: what its files share). Data goes one way: a backend (host.c, cuda.cu) runs a kernel
 * and hands every warp access to a sink, past the gate that every trace passes (trace_check.c); sinks
 * are the writer (trace_write.c), the trace in memory (trace_memory.c) and the statistics (stats.c).
 * The reader (trace_read.c) is another source, behind the same gate. The bank model (bank_model.c)
 * says what one warp access costs; advice.h searches layouts in which a recording would cost less.
 * This folder knows no algorithm and draws no picture.
 *
 * Words (bank, lane, round, slot, warp access, ways, passes, conflicts) are those of
 * doc/trace-format.md. Addresses are bytes from the start of a block's shared memory.
 *
 * Functions that can fail return false (or NULL) and put one line into struct error: what, where
 * and what to do next. They never print and never exit; base/memory.h says the one exception.
 */
#ifndef BANKSCOPE_INSTRUMENT_H
#define BANKSCOPE_INSTRUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- limits: what a trace may claim, checked by trace_check.c -------------------------------- */

enum {
    MAX_WARP = 64,        /* lanes of a warp, and banks */
    MAX_THREADS = 8192,   /* threads of a block */
    MAX_BLOCKS = 1 << 20, /* blocks of all launches */
    MAX_SHARED = 1 << 24, /* bytes of shared memory of a block */
    MAX_STAGES = 1 << 14, /* stages of a kernel */
    MAX_STAGE_NAME = 64,  /* bytes of a stage's name */
    MAX_ROUNDS = 1 << 20, /* rounds of a stage */
    MAX_SLOTS = 1 << 12,  /* slots of a round */
    MAX_TEXT = 4096,      /* bytes of any other text */
    MAX_HEADER_PARAMS = 1000,
    MAX_HEADER_ARRAYS = 1024,
    MAX_ARRAY_DIMS = 8,
    MAX_MEMBERS = 256,  /* of a struct */
    MAX_SITES = 65535,  /* instructions that an access may name */
    MAX_LINE = 1 << 20, /* bytes of one line of a trace */
};
/* Addresses in global memory are below: a GPU's have 49 bits, the machine's 56. */
#define MAX_ADDRESS (UINT64_C(1) << 56)
/* Whole numbers: 2^53 - 1 either way. A double holds these, and no other number rounds to one. */
#define MAX_WHOLE INT64_C(9007199254740991)

/* ---- trace.c: what a trace is ----------------------------------------------------------------- */

/* A parameter as the trace's header shows it: a number, or a word (variant=padded). */
struct trace_param {
    char *name;
    char *word;     /* NULL for a number */
    int64_t number; /* when word is NULL */
};

/* A scalar or vector in a struct, in structs and arrays within it, too: `position.x`, `v[1]`. */
struct trace_member {
    char *name;
    char *type; /* type_bytes knows it, or it is a pointer, "float *", of 8 bytes */
    int addr;   /* from the first byte of the struct */
};

/* A shared array of the kernel: `float tile[32][33]` at byte 0. */
struct trace_array {
    char *name;
    char *type;              /* "float", "int2", "struct pair" */
    int addr;                /* its first byte */
    int bytes;               /* of an element */
    int dims;                /* 0: a single variable */
    int dim[MAX_ARRAY_DIMS]; /* the outermost first */
    int members;             /* of an element that is a struct, 0: not told */
    struct trace_member *member;
};

/* An instruction of the kernel's source. Texts may be empty, line 0: not known. */
struct trace_site {
    char *file, *function;
    char *text; /* the source line */
    int line;
};

/* The first line of a trace. Strings are owned by the header (header_copy, header_free). */
struct trace_header {
    char *kernel;  /* "cf-merge" */
    char *backend; /* "host" or "cuda" */
    char *device;  /* the GPU's name; "" on the host */
    char *input;   /* "random", "worst", ... */
    uint64_t seed;
    int banks;        /* 1..MAX_WARP */
    int bank_bytes;   /* width of a bank's word: 1, 2, 4, 8 or 16; on hardware 4, or 8 */
    int warp;         /* lanes of a warp, 1..MAX_WARP */
    int threads;      /* of a block */
    int blocks;       /* of the launch, or of all launches */
    int shared_bytes; /* of a block */
    int partition;    /* words between the partition borders of a layout such as rho; 0: none */
    int block_dim[3]; /* x, y, z, as the source has them; 0: not told */
    int grid_dim[3];
    int stages;   /* number of stage names */
    char **stage; /* their names, in order; NULL behind the last in a header that owns them */
    int params;   /* number of parameters */
    struct trace_param *param;
    int arrays; /* shared arrays, 0: not told */
    struct trace_array *array;
    int sites; /* instructions, 0: not told */
    struct trace_site *site;
    int global; /* 1: accesses to global memory may be in it (version 2 of the format) */
};

/* What a warp access does. The names are op_name's: "load", "store", "atomic", "matrix-load",
 * "matrix-store", "async-store", "merged-atomic", "compare-and-swap", "spin", "wgmma-load",
 * "reduction", "async-load". */
enum op {
    OP_LOAD,
    OP_STORE,
    OP_ATOMIC,        /* each lane is served by itself */
    OP_MATRIX_LOAD,   /* ldmatrix: 16 bytes per lane that gives an address */
    OP_MATRIX_STORE,  /* stmatrix */
    OP_ASYNC_STORE,   /* a copy from global memory that writes shared memory */
    OP_MERGED_ATOMIC, /* lanes that update one word are combined before, and share it */
    OP_COMPARE_AND_SWAP,
    OP_SPIN, /* a compare-and-swap of a loop that nvcc makes: of the lanes that want a bank, one succeeds */
    OP_WGMMA_LOAD, /* what a product of a warpgroup reads: rows of 16 bytes */
    OP_REDUCTION,  /* of global memory: an atomic operation without a result (red) */
    OP_ASYNC_LOAD, /* of global memory: what an asynchronous copy to shared memory reads (cp.async) */
    OPS
};
const char *op_name(enum op op);
/* The operation of that name, or OPS. */
enum op op_named(const char *name);
/* Whether it is one of the five that read and write in one go. */
bool op_is_atomic(enum op op);
/* Whether lanes that want the same word share it. */
bool op_shares(enum op op);

/* What the lanes of one warp do in one (block, stage, round, slot): a view, whose arrays belong to
 * whoever hands it out and live as long as that says. */
struct warp_access {
    int stage, round, slot, block, warp;
    enum op op;
    int bytes;            /* per lane: 1, 2, 4, 8 or 16 */
    int lanes;            /* active lanes, 1..MAX_WARP; the length of the arrays below */
    const uint8_t *lane;  /* ascending, below header.warp */
    const uint32_t *addr; /* byte address, a multiple of bytes, inside the shared memory */
    const int64_t *value; /* what was read or written, or NULL when not recorded */
    const char *tag;      /* the list that the word belongs to ('A', 'B', ...), ' ' for none;
                           * NULL when no lane has one; not a C string */
    int site;             /* index into header.site, -1 for none; means nothing without sites */
    const uint64_t
        *global; /* of an access to global memory its addresses, and addr is NULL; of one to
                             * shared memory NULL */
};

/* How a trace ended. */
struct trace_end {
    uint64_t warp_accesses; /* handed over */
    uint64_t dropped;       /* records that a device buffer could not hold */
    bool complete;          /* false: the file was cut, or the run was interrupted */
};

/* Receives a trace as it comes: header once, access in the order of the format, end once. Any
 * function may be NULL. A function that returns false stops the run; *error says why. */
struct trace_sink {
    bool (*header)(void *context, const struct trace_header *header, struct error *error);
    bool (*access)(void *context, const struct warp_access *access, struct error *error);
    bool (*end)(void *context, const struct trace_end *end, struct error *error);
    void *context;
};

/* A sink that hands everything to each of `count` sinks in turn. Both must outlive it. */
struct trace_tee {
    const struct trace_sink *sinks;
    int count;
};
struct trace_sink trace_tee_sink(struct trace_tee *tee);

/* Deep copy; *to is overwritten. header_free leaves an empty header. */
void header_copy(struct trace_header *to, const struct trace_header *from);
void header_free(struct trace_header *header);
/* The number of parameter `name`, or `otherwise` when it is missing or a word. */
int64_t header_param(const struct trace_header *header, const char *name, int64_t otherwise);
/* " w=12 u=12 E=5", cut to the size. */
void header_params(const struct trace_header *header, char *text, size_t size);
/* The index of a stage, or -1. */
int header_stage(const struct trace_header *header, const char *name);
/* The name of a stage; "?" when a kernel names one that there is not. */
const char *header_stage_name(const struct trace_header *header, int stage);
/* The indices of the stages, sorted by name. The caller frees them. */
int *header_stages_by_name(const struct trace_header *header);
/* Warps of a block; the last one may have fewer threads than lanes. */
int header_warps(const struct trace_header *header);
/* Threads of that warp: header.warp of them, or what is left for the last one. */
int header_lanes(const struct trace_header *header, int warp);
/* The shared array that a byte is in, or -1. */
int header_array(const struct trace_header *header, uint32_t addr);

/* Bytes of a scalar or vector type of C or CUDA ("unsigned short", "float4"), or 0: not one. */
int type_bytes(const char *type);
/* Copies of members, for a header to own. */
struct trace_member *members_copy(const struct trace_member *member, int members);
void members_free(struct trace_member *member, int members);

/* ---- trace_check.c: the gate that every trace passes ------------------------------------------- */

/* What is behind it need not distrust a trace: numbers are within the limits, names are UTF-8
 * without control characters, stages and parameters have different names, accesses are in order
 * and within the block's memory, the end counts them. So no backend can write a trace that the
 * reader refuses. Errors say what is amiss, as `"banks" must be a whole number from 1 to 64`. */
bool trace_check_header(const struct trace_header *header, struct error *error);

/* What must be remembered from one access to the next. header outlives it. */
struct trace_check {
    const struct trace_header *header;
    uint64_t accesses;
    int last[5];              /* block, stage, round, slot, warp of the access before */
    struct trace_sink to;     /* of a sink: what is behind it */
    struct trace_header copy; /* of a sink: the header */
};
/* The header must have been checked. */
void trace_check_init(struct trace_check *check, const struct trace_header *header);
bool trace_check_access(struct trace_check *check, const struct warp_access *access,
                        struct error *error);
/* Only where it is: of an access that nobody will look at. */
bool trace_check_place(struct trace_check *check, const struct warp_access *access,
                       struct error *error);
bool trace_check_end(const struct trace_check *check, const struct trace_end *end,
                     struct error *error);

/* A sink for a backend: checks what comes and hands it on to `to`. Its errors name the kernel, and
 * the stage, round, block and warp. trace_check_free afterwards. */
struct trace_sink trace_check_sink(struct trace_check *check, const struct trace_sink *to);
void trace_check_free(struct trace_check *check);

/* ---- trace_write.c: JSON Lines (doc/trace-format.md) -------------------------------------------- */

/* Writes a trace line by line; end flushes and reports a full disk or a closed pipe. The trace must
 * have passed the gate. An open file is the caller's to close. NULL: an output of that name, which
 * a whole trace replaces; one that is cut is kept beside it. Compressed if the name ends in .gz or
 * .zst. */
struct trace_writer;
struct trace_writer *trace_writer_new(FILE *file, const char *name);
struct trace_sink trace_writer_sink(struct trace_writer *writer);
/* Whether a trace may be written there: output_may_replace. A writer asks, too. */
bool trace_may_replace(const char *path, struct error *error);
/* The name under which a trace that was cut is kept, or NULL. */
const char *trace_writer_part(const struct trace_writer *writer);
void trace_writer_free(struct trace_writer *writer);

/* ---- trace_read.c ------------------------------------------------------------------------------ */

/* Reads a trace, which may be compressed, from an open file line by line, checks each line and hands
 * it to the sink. The views die when access returns. A cut file is not an error: its whole lines are
 * handed over and end says complete = false. Anything else amiss is one, with the line number; an
 * earlier error in *error is forgotten. */
bool trace_read(FILE *file, const char *name_for_messages, const struct trace_sink *sink,
                struct error *error);

/* What is wanted of a trace. */
struct trace_part {
    int first_block, last_block; /* 0, INT_MAX: all */
    const char *stage;           /* NULL, or a name that the trace lacks: all */
    int warp;                    /* -1: all */
    bool one_block;              /* only the first block that has any of it */
    /* Called now and then with the bytes read so far; NULL: not. */
    void (*progress)(void *context, uint64_t bytes);
    void *context;
};
/* The same, of which the sink gets only that part; NULL: all. Of other lines only the place and the
 * number are checked, which is much faster. The end counts all. */
bool trace_read_part(FILE *file, const char *name_for_messages, const struct trace_part *part,
                     const struct trace_sink *sink, struct error *error);
/* The same from the file of that path ("-": standard input). */
bool trace_read_path(const char *path, const struct trace_part *part, const struct trace_sink *sink,
                     struct error *error);

/* ---- trace_memory.c ---------------------------------------------------------------------------- */

/* A trace in memory: 14 bytes per lane access (22 with global memory) and 24 per warp access (26 where it
 * has sites). */
struct trace {
    struct trace_header header;
    struct trace_end end;
    size_t count;              /* warp accesses */
    struct trace_entry *entry; /* private: use trace_get */
    uint16_t *site;            /* private; NULL without sites */
    size_t lane_count;         /* lane accesses */
    uint8_t *lane;
    uint32_t *addr;
    uint64_t *global; /* NULL where the header says that there is none */
    int64_t *value;
    char *tag;
    int only_block; /* the number + 1 of the block that was loaded; 0: all of them */
    size_t entry_room, site_room, lane_room; /* private */
};

/* Fills an empty trace ({0}) as a sink; trace_free releases what it holds and empties it. */
struct trace_sink trace_memory_sink(struct trace *trace);
void trace_free(struct trace *trace);
/* The view of warp access i < count; valid until the trace is freed. */
struct warp_access trace_get(const struct trace *trace, size_t i);
/* Reads all of the trace at path ("-": standard input). false: *error says why, *trace is empty. */
bool trace_load(const char *path, struct trace *trace, struct error *error);
/* Only a part of it. */
bool trace_load_part(const char *path, const struct trace_part *part, struct trace *trace,
                     struct error *error);

/* ---- trace_bytes.c: a trace as few bytes, for pages -------------------------------------------- */

/* Only the program that packed them, of the same version, is sure to unpack them: files are JSON
 * Lines. Start from {0} and free(byte). */
struct trace_bytes {
    unsigned char *byte;
    size_t count, room;
    int last[5];                /* private: what is packed is what differs from the access before */
    uint64_t lanes;             /* private */
    struct trace_header header; /* private: sizes and no strings */
};
/* Lane accesses that a browser's tab can hold, with what else it needs for them. */
enum { PAGE_ACCESSES = 8 << 20 };
/* Appends a trace, about a byte and a half per lane access. */
struct trace_sink trace_bytes_sink(struct trace_bytes *bytes);
/* Hands the trace in `count` bytes to the sink, past the gate. Any other bytes are an error. */
bool trace_unpack(const unsigned char *byte, size_t count, const struct trace_sink *sink,
                  struct error *error);

/* ---- bank_model.c: what one warp access costs ---------------------------------------------- */

/* The cost of one warp access. Lanes that want more than one word are served in groups of
 * neighbours that one row of the banks can serve (with 32 banks of 4 bytes: halves of the warp for
 * 8 bytes, quarters for 16); loads merge two groups where lanes share (doc/bank-model.md). */
struct bank_cost {
    int ways;      /* distinct words that the busiest bank serves within a group, 0 for no lanes */
    int passes;    /* how often the banks are cycled: sum over the groups of their ways */
    int least;     /* passes without collisions: one for each group with an active lane (more only
                    * where one lane wants more words than there are banks) */
    int conflicts; /* passes - least: what a profiler counts */
    /* Of the header's banks, each: */
    uint16_t degree[MAX_WARP]; /* distinct words that it serves, summed over groups */
    bool busy[MAX_WARP];       /* it serves more words within a group than that many bytes need */
};

/* Costs one warp access on the banks of the trace (of the header: banks, bank_bytes and warp). The
 * access must have passed the gate; one to global memory costs no pass. */
void bank_model_cost(const struct trace_header *header, const struct warp_access *access,
                     struct bank_cost *cost);
/* The pass of the access, from 0, that serves each word, if each bank serves its words in the order
 * of the lanes (hardware does not tell). turn has room for MAX_WARP * 16 words; lane i's k-th is at
 * i * (words of a lane) + k. */
void bank_model_turns(const struct trace_header *header, const struct warp_access *access,
                      uint16_t *turn);

/* ---- sector_model.c: what one access to global memory costs --------------------------------- */

enum { SECTOR_BYTES = 32 };
/* The memory is fetched in sectors of 32 bytes that begin at multiples of 32; a request of a warp takes each
 * sector once that a lane wants a byte of.
 * Lanes of an atomic operation that have one address go one after
 * the other, the n-th lanes of all addresses together (doc/global-memory.md). */
struct sector_cost {
    int sectors;
    int least; /* that hold as many bytes as the lanes want, each byte once */
};
/* Of an access with `global`. */
void sector_model_cost(const struct warp_access *access, struct sector_cost *cost);

/* ---- stats.c: totals over a trace ---------------------------------------------------------- */

/* Sums over the warp accesses of one row of the table. */
struct stats_row {
    int stage;       /* -1 in a total, by line and by array */
    int round;       /* -1 unless by round */
    int block, warp; /* -1 unless by warp */
    int site;        /* by line: the first site of that line, -1 for none */
    int array;       /* by array: index, -1 for none */
    enum op op;
    bool global; /* of global memory: sectors and least count, else passes and conflicts */
    uint64_t warp_accesses, accesses, passes, conflicts;
    int max_ways;
    uint64_t requests, sectors, least; /* of global memory; requests: warp accesses to it */
};

enum stats_by { STATS_BY_STAGE, STATS_BY_ROUND, STATS_BY_WARP, STATS_BY_LINE, STATS_BY_ARRAY };

struct stats {
    struct trace_header header;
    struct trace_end end;
    enum stats_by by;
    size_t rows;
    struct stats_row *row; /* by stage, then round, block and warp if asked for, then op */
    struct stats_row total;
    int *line_of;    /* private: of each site, the first one of its line */
    size_t room;     /* private */
    struct hash_index index; /* private: of row */
};

/* Starts empty statistics, grouped as `by` says; a sink that adds to them. */
void stats_init(struct stats *stats, enum stats_by by);
void stats_free(struct stats *stats);
struct trace_sink stats_sink(struct stats *stats);
/* What a row is about, without round, block and warp: "merge", "a.cu:17", "tile", "total". May be in
 * `text`. */
const char *stats_row_name(const struct stats *stats, const struct stats_row *row, char *text,
                           size_t size);
/* The table for a person, columns aligned; `title` may be NULL. */
void stats_print(FILE *file, const struct stats *stats, const char *title);
/* The same rows with commas between the cells, under a line of names. Further columns stand before them:
 * their `names` and, in every row, `cells`, each with a comma behind it ("" for none). names NULL: no
 * line of names. */
void stats_print_csv(FILE *file, const struct stats *stats, const char *names, const char *cells);
/* Two tables, gathered by the same, as one: rows of the same name and operation beside each other,
 * with what the second one has more. csv: with commas. */
void stats_print_difference(FILE *file, const struct stats *first, const struct stats *second,
                            bool csv);
bool stats_print_difference_json(FILE *file, const struct stats *first, const struct stats *second,
                                 struct error *error);
/* The JSON object of `stats --json`, one line. */
bool stats_print_json(FILE *file, const struct stats *stats, struct error *error);

/* One row per warp access as a trace comes by, with commas, under a line of names. */
struct access_rows {
    FILE *file;
    struct trace_header header; /* private */
    struct trace_end end;       /* once it has ended */
};
struct trace_sink access_rows_sink(struct access_rows *rows);

/* ---- host.c: the backends --------------------------------------------------------- */

struct simt; /* one running thread, as simt.h's macros see it */

/* One thread's run of a kernel, generated by KERNEL (simt.h). */
typedef void (*simt_body)(struct simt *simt, const void *params, const void *in, void *out);

/* The stage of what FILL stores (simt.h); a kernel that uses FILL has it first. */
#define FILL_STAGE "setup"

/* What global memory is full of that no kernel has written. */
enum { POISON_BYTE = 0xBA };

/* One launch of a kernel, on either backend. Nothing in it is owned. */
struct launch {
    const struct trace_header
        *header;        /* names, sizes, stages, parameters as the trace shows them */
    simt_body body;     /* host */
    const void *cuda;   /* CUDA: struct simt_cuda, or NULL when not built in */
    const void *params; /* the kernel's own struct of ints; of a bare run, one for each launch */
    const void *in;     /* global memory that the kernel reads */
    size_t in_bytes;
    void *out; /* global memory that the kernel writes; the caller fills it with POISON_BYTE */
    size_t out_bytes;
    uint64_t records; /* CUDA: the most that the device buffer holds; 0: the standard 256 Mi */
    int repeat;       /* CUDA: runs that are timed; 0 or 1: one, without warming up */
    /* Of a bare run: so many launches, each of which reads what the one before wrote; `out` is what
     * the last one wrote. 0: one. */
    int launches;
    size_t params_bytes; /* from the params of one launch to those of the next */
    bool partial; /* host: of a block that fails, too, hand out what it recorded until then */
};

/* Times of repeated runs, in seconds. */
struct run_times {
    double least, median, most;
};
/* What a run tells beyond its trace. */
struct run_result {
    struct run_times kernel; /* of the kernel on the device, all launches */
    struct run_times last;   /* bare: of the last launch */
    double dump_seconds;     /* from the device buffer to the sink */
    uint64_t records;        /* places in the device buffer, 8 bytes each */
    bool constants;          /* the kernel was compiled for these parameters (BARE) */
};

/* Runs every thread of every block on this machine in lockstep between barriers and hands the
 * trace to the sink. Reports barriers not reached by all, out-of-bounds accesses, reads of words
 * never written, races, and lanes of one warp access that come from different instructions. */
bool host_run(const struct launch *launch, const struct trace_sink *sink, struct run_result *result,
              struct error *error);

/* ---- watch.c: kernels that are not trusted ---------------------------------------------------- */

/* Global memory for a launch's in or out: zeroed, with a zone around it that cannot be touched, in
 * which a watched kernel's access is known to be one out of bounds. NULL: *error says why. */
void *global_new(size_t bytes, struct error *error);
void global_free(void *memory, size_t bytes);

/* For a process that runs a user's own kernel: from now on a crash, a full stack or a loop without
 * end in one of its threads is a fault like others, which ends host_run. What C does not define,
 * where no thread runs, is said in *error, and ends the process with status 1. A loop counts as one
 * without end after two seconds of the processor without an access of shared memory. */
void watch_user_code(struct error *error);
/* For a process that also must not be fooled by it: a thread may touch only in, out, its own stack
 * and constants. As such a process can start no other, it asks whoever may for the line of an
 * instruction, which is its place in the kernel's object. */
void watch_strictly(int (*line)(void *context, size_t after), void *context);
/* The source line of the instruction that ends at `after`, from the object's debug information; 0:
 * unknown. Compilers give no line to some instructions, such as the jump that is all of an endless
 * loop: then the nearest one before it tells. */
int watch_line(const char *object, size_t after);

/* ---- cuda.cu ---------------------------------------------------------------------------------- */

/* The same on the first GPU, by the traced build: for the same launch the same trace, apart from
 * the header's device. A NULL sink: records are only copied to the host. Errors name what stands in
 * the way: no device, no code for it, a launch too large, no memory, a fault of the kernel. */
bool cuda_run(const struct launch *launch, const struct trace_sink *sink, struct run_result *result,
              struct error *error);
/* Runs and times the bare build: no trace. */
bool cuda_run_bare(const struct launch *launch, struct run_result *result, struct error *error);
/* The time of a copy within the GPU's memory, `repeat` times. */
bool cuda_time_copy(size_t bytes, int repeat, struct run_times *copy, struct error *error);
/* The GPU's name, compute capability and driver, for files of results. */
bool cuda_describe(char *text, size_t room, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
