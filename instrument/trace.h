/* trace.h - what a trace is; the gate, the writer and the reader; a trace in memory and as few bytes. */
#ifndef BANKSCOPE_INSTRUMENT_TRACE_H
#define BANKSCOPE_INSTRUMENT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
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
    MAX_MEMBERS = 256,        /* of a struct */
    MAX_SITES = 65535,        /* instructions that an access may name */
    MAX_CODE = 4096,          /* instructions that the source became */
    MAX_CODE_BYTES = 1 << 18, /* of their texts, so that they leave room in the header's line */
    MAX_LINE = 1 << 20,       /* bytes of one line of a trace */
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
    char *type; /* "float", "int2", "struct pair" */
    int addr;   /* its first byte */
    int moved;  /* what to add for its address in the program, where others are left out */
    int bytes;  /* of an element */
    int dims;   /* 0: a single variable */
    int dim[MAX_ARRAY_DIMS]; /* the outermost first */
    int members;             /* of an element that is a struct, 0: not told */
    struct trace_member *member;
};

/* An instruction of the kernel's source. Texts may be empty, line 0: not known. */
struct trace_site {
    char *file, *function;
    char *text; /* the source line */
    /* What its address in global memory is made of: a parameter, a variable; "": not known. */
    char *array;
    int line;
    int code; /* 1 + its index in header.code; 0: not known */
};

/* An instruction that the source became, of PTX or of machine code. Texts may be empty, line 0: of no line. */
struct trace_code {
    char *file;
    char *text; /* "ld.shared.f32 %f1, [%r5+128]", or a label "$L__BB0_2:" */
    /* What became of an access in PTX, "joined: one access of 8 bytes"; up to the colon it is one word. */
    char *became;
    int line;
    int sass; /* 1: of machine code; these come behind all others */
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
    int codes; /* instructions that the source became, 0: not told */
    struct trace_code *code;
    int global; /* 1: accesses to global memory may be in it (version 2 of the format) */
};

/* What a warp access does. The names are op_name's: "load", "store", "atomic", "matrix-load",
 * "matrix-store", "async-store", "merged-atomic", "compare-and-swap", "spin", "wgmma-load",
 * "reduction", "async-load", "async-load-cg". */
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
    OP_ASYNC_LOAD_CG, /* the same, past the L1 cache (cp.async.cg) */
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
 * the function that hands it out, and live as long as that function says. */
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
    /* The addresses of an access to global memory, for which addr is NULL; NULL if it is to shared memory. */
    const uint64_t *global;
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
/* The name of a stage; "?" if it has none by that number. */
const char *header_stage_name(const struct trace_header *header, int stage);
/* Adds an instruction, whose texts it takes over, to header->code, which has room for MAX_CODE; *bytes counts those of all
 * texts, and begins as 0. false: there are too many. Then header_cut_code makes the last one say so. */
bool header_add_code(struct trace_header *header, size_t *bytes, const struct trace_code *row);
void header_cut_code(struct trace_header *header);
/* The indices of the stages, sorted by name. The caller frees them. */
int *header_stages_by_name(const struct trace_header *header);
/* Warps of a block; the last one may have fewer threads than lanes. */
int header_warps(const struct trace_header *header);
/* Threads of that warp: header.warp of them, or what is left for the last one. */
int header_lanes(const struct trace_header *header, int warp);
/* The shared array that a byte is in, or -1. */
int header_array(const struct trace_header *header, uint32_t addr);
/* The name of the array in global memory that an access is to; "": not known. */
const char *header_global_array(const struct trace_header *header,
                                const struct warp_access *access);

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
/* Checks only where it is (block, stage, round, slot, warp), of an access that nobody will look at. */
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
/* Reads a trace and hands the sink only that part of it; NULL: all of it. Of the other lines only the place and the
 * number are checked, which is much faster. The end counts all. */
bool trace_read_part(FILE *file, const char *name_for_messages, const struct trace_part *part,
                     const struct trace_sink *sink, struct error *error);
/* As trace_read_part, from the file of that path ("-": standard input). */
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
/* Reads the trace at path ("-": standard input), or a part of it (NULL: all). false: *error says why, *trace is
 * empty. */
bool trace_load_part(const char *path, const struct trace_part *part, struct trace *trace,
                     struct error *error);

/* ---- trace_bytes.c: a trace in few bytes, for pages -------------------------------------------- */

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

#ifdef __cplusplus
}
#endif
#endif
