/* records.h - what the runtime, in the user's process, tells the bankscope process.
 *
 * Both have one file in memory mapped. The bankscope process makes it, writes into it what it wants to
 * know (struct records_choice) and hands the child its descriptor; the child fills tables. What stands in
 * the file is there whatever ends the child. A file has a head, and behind it the tables:
 *
 *     text      bytes that others refer to: names, sources, instructions
 *     sites     places of the source          arrays    shared variables of a kernel
 *     kernels   with their first site, ...    accesses  of a kernel, to memory
 *     launches  with their first count        counts    of each access of the launch's kernel
 *     faults    of launches and of calls      chunks    what single warps accessed, in pieces
 *
 * A row is claimed by raising the table's `used` and is there when its first word, `ready`, is 1. Beyond
 * RECORDS_LAUNCHES launches, those of one kernel and shape have one row, so that no run needs more than
 * the file has. Where a table is full, `lost` counts what found no room.
 *
 * The reader (records.c) accepts any bytes: the child is a program of the user's, which may write where it
 * likes. It takes copies and looks at these.
 */
#ifndef BANKSCOPE_PROGRAM_RECORDS_H
#define BANKSCOPE_PROGRAM_RECORDS_H

#include "instrument/instrument.h"

#include <stdbool.h>
#include <stdint.h>

/* The environment variable with the file's name. The processes that the child starts have it, too, and write into the
 * same file. */
#define RECORDS_FILE "BANKSCOPE_FILE"

enum {
    RECORDS_MAGIC = 0x52534e42, /* "BNSR" */
    RECORDS_FORMAT = 13,
    RECORDS_LAUNCHES = 4096,  /* launches that have a row of their own */
    RECORDS_CHUNK = 4096,     /* bytes of a chunk, its head included */
    RECORDS_FAULT_TEXT = 400, /* bytes of a fault's line, the null included */
    RECORDS_DEVICE_NAME = 64, /* bytes of a device's name, the null included */
    RECORDS_LANES = 64,       /* of a warp at most */
    RECORDS_EXECUTED_TEXTS = 3,
    RECORDS_EXECUTED_MOST = 1 << 18, /* entries of a followed warp */
};

#define RECORDS_NOTHING UINT32_MAX /* where a row refers to none */
#define RECORDS_EVERY UINT64_MAX   /* every launch; for a fault: no launch */

/* ---- what is asked for ------------------------------------------------------------------------ */

struct records_choice {
    uint32_t jobs;                    /* threads that run blocks; 0: one for each core */
    uint32_t warp;                    /* lanes; 0: 32 */
    uint32_t banks;                   /* 0: as many as lanes */
    uint32_t bank_bytes;              /* 0: 4 */
    uint32_t count, check;            /* 1: counts of accesses; the checker */
    uint32_t global;                  /* 1: global memory is counted, too */
    uint32_t values;                  /* 1: accesses come with what was read and written */
    uint32_t checks_off;              /* bits 1 << enum machine_fault_kind that are not wanted */
    uint32_t leaks;                   /* 1: what was never freed is told of */
    uint32_t arguments, unused;       /* 1: arguments of launches are told */
    uint32_t host_reads;              /* 1: reads of the host's before it waits are told of */
    uint32_t follow, follow_warp;     /* 1: instructions of that warp are kept, too ... */
    uint64_t follow_block;            /* ... of that block, of the only launch that is counted */
    uint64_t seed;                    /* of the order of warps; 0: ascending */
    uint64_t accesses;                /* of a launch's first whole blocks that are kept; 0: none */
    uint64_t launch;                  /* the only one that is counted; RECORDS_EVERY: all */
    uint64_t first_block, last_block; /* that are counted and kept */
    uint64_t instructions;            /* a launch may execute; 0: any number */
    uint64_t seconds; /* of the processor that blocks may run without one's end; 0: any number */
    uint64_t shadow_bytes;            /* of the checker's, for races in global memory; 0: 1 GiB */
    char device[RECORDS_DEVICE_NAME]; /* "": an H200 */
    /* In the text: names of the kernels that are counted, as the PTX has them, each ended by a line feed; length 0: all. */
    uint64_t kernels, kernels_length;
    /* In the text: a line "LINE FUNCTION" for each loop that is unrolled ("1+LINE": first_apart), "rREGISTERS KERNEL" for each kernel. */
    uint64_t loops, loops_length;
};

/* ---- rows ------------------------------------------------------------------------------------- */

struct records_text {
    uint64_t at, length; /* in the table of text */
};

struct records_site {
    uint32_t ready;
    uint32_t line, column;
    uint32_t inlined_at; /* site of the call, or RECORDS_NOTHING */
    struct records_text file, function;
};

struct records_array {
    uint32_t ready;
    uint32_t offset, bytes;   /* offset: 0 of global memory */
    uint32_t dynamic, global; /* global: 1: a parameter, or a variable of the module */
    struct records_text name;
};

struct records_kernel {
    uint32_t ready;
    uint32_t accesses, arrays;
    uint32_t target;                    /* 80: compiled for sm_80 */
    uint64_t first_access, first_array; /* in their tables */
    struct records_text name;           /* as the PTX has it */
    uint32_t launches, unused;          /* launches: 1: it calls the device's runtime */
};

enum records_space { RECORDS_SHARED, RECORDS_GLOBAL, RECORDS_LOCAL, RECORDS_SPACES };
struct records_access {
    uint32_t ready;
    uint32_t global, op, bytes; /* global: enum records_space; op: enum op; bytes of a lane */
    uint32_t site;
    uint32_t unused;
    struct records_text text, array;
};

enum records_outcome {
    RECORDS_RUNNING, /* it has not ended */
    RECORDS_GOOD,
    RECORDS_FAILED,  /* by a fault, which is in the table of faults */
    RECORDS_REFUSED, /* not started; `error` says why */
    RECORDS_OUTCOMES
};

struct records_launch {
    uint32_t ready;
    uint32_t kernel;
    uint64_t number;   /* in the program's order, from 0; of the first of the row */
    uint64_t launches; /* that the row stands for */
    uint64_t repeated; /* of them: did what one before them had done, and were not executed again */
    uint32_t grid[3], block[3]; /* grid 0: of different shapes */
    uint32_t dynamic_shared;
    uint32_t outcome, error; /* enum records_outcome; a cudaError_t */
    uint32_t process;        /* that launched it: from 0, in the order of their first launches */
    uint32_t counts;         /* as many as the kernel has accesses, or 0: not counted */
    uint64_t first_count;
    uint64_t blocks, blocks_done, instructions;
    uint64_t kept_blocks, kept_accesses, lost_accesses; /* in chunks */
    /* Launches whose global memory was not looked through for races as a whole. */
    uint64_t partly_checked;
    uint64_t caller; /* byte of the executable that a launch returns to; 0: unknown */
    /* The kernel that launched the first, and where; RECORDS_NOTHING: the host did, or it is not known. */
    uint32_t parent, parent_site;
    /* "40000000 0000207f00000000": the bytes of each; "": not told, or the row's launches have different ones. */
    struct records_text arguments;
};

/* For global memory, passes are sectors, conflicts those beyond the least, max_ways the most of a request. For
 * local memory there are instructions and lanes only. */
struct records_count {
    uint64_t instructions, lanes, passes, conflicts;
    uint64_t estimates, chances; /* as of struct machine_count */
    uint32_t max_ways, unused;
    uint32_t low, high; /* the lowest and the highest address of first lanes */
};

/* Kinds below RECORDS_HOST_FAULTS are enum machine_fault_kind. */
enum {
    RECORDS_HOST_FAULTS = 64,
    RECORDS_ARGUMENT = RECORDS_HOST_FAULTS, /* of a call: outside of memory, freed, ... */
    RECORDS_UNCHECKED,                      /* an error that nobody asked for */
    RECORDS_MISSING,                        /* a function or feature that is not there */
    RECORDS_LEAK,
    RECORDS_CODE,    /* the program's code cannot be loaded */
    RECORDS_ENDLESS, /* blocks ran too long without one's end */
    RECORDS_EARLY,   /* the host reads what it has not waited for */
    RECORDS_ORDER,   /* work of several streams meets in memory, and nothing puts it in order */
    RECORDS_LIBRARY, /* a function of a library is computed without its kernels */
    RECORDS_FAULT_KINDS
};
struct records_fault {
    uint32_t ready;
    uint32_t kind;
    uint32_t kernel;           /* or RECORDS_NOTHING */
    uint32_t site, other_site; /* or RECORDS_NOTHING */
    uint32_t block[3], thread[3];
    uint32_t unused;
    uint64_t launch; /* number of the first at which it was, or RECORDS_EVERY */
    uint64_t count;
    uint64_t caller; /* byte of the executable that the call returns to; 0: unknown */
    /* The caller of the function that makes the call, which may be of the toolkit's headers; 0: unknown. */
    uint64_t outer_caller;
    char text[RECORDS_FAULT_TEXT];
};

/* A piece of what a block accessed: entries one after another. A block has chunks 0, 1, ...; it is whole
 * if the first one says so. */
struct records_chunk_head {
    uint32_t ready;
    uint32_t launch;   /* row; RECORDS_NOTHING: the chunk is free */
    uint32_t sequence; /* of the block's chunks */
    uint32_t used;     /* bytes of entries */
    uint32_t chunks;   /* of the block, in its first one; 0: it is not whole */
    uint32_t accesses; /* the same */
    uint64_t block;
    uint32_t next, unused; /* for who writes: the block's next chunk, plus 1 */
};
struct records_chunk {
    struct records_chunk_head head;
    unsigned char entries[RECORDS_CHUNK - sizeof(struct records_chunk_head)];
};

enum records_entry_kind { RECORDS_ACCESS, RECORDS_STAGE, RECORDS_ROUND, RECORDS_EXECUTED };
/* An access: behind it the addresses of its lanes, of 8 bytes each, then, if it has values, `bytes` of each
 * lane. A stage: behind it its name. A round: its number is `step`. An instruction that a followed warp
 * executed, with a register that it wrote, if any: behind it `values` bytes of each lane, then the register's name, its
 * type and the instruction's text, each ended by a null byte; `access` is a site (or RECORDS_NOTHING), `step` a line
 * of the PTX. Those of its further registers follow without a text. All are padded to 8 bytes. */
struct records_entry {
    uint16_t kind, size; /* size: of all of it, in units of 8 bytes */
    uint16_t warp;
    uint8_t values; /* of an access 1: with values; of an executed instruction: bytes of a lane */
    uint8_t lanes;  /* how many; of a stage: bytes of its name */
    uint32_t access, phase;
    uint64_t step, mask;
};

/* ---- the file --------------------------------------------------------------------------------- */

enum records_tables {
    RECORDS_TABLE_TEXT,
    RECORDS_TABLE_SITES,
    RECORDS_TABLE_ARRAYS,
    RECORDS_TABLE_KERNELS,
    RECORDS_TABLE_ACCESSES,
    RECORDS_TABLE_LAUNCHES,
    RECORDS_TABLE_COUNTS,
    RECORDS_TABLE_FAULTS,
    RECORDS_TABLE_CHUNKS,
    RECORDS_TABLES
};
struct records_table {
    uint64_t at, room; /* bytes from the file's begin; rows */
    uint64_t used, lost;
};
struct records_head {
    uint32_t magic, format;
    uint64_t bytes; /* of the file */
    struct records_choice choice;
    struct records_table table[RECORDS_TABLES];
    uint32_t attached;  /* 1: a runtime has the file */
    uint32_t processes; /* that have launched kernels */
    uint64_t launches;  /* so far */
    uint64_t current;   /* row of the launch that runs, plus 1; 0: none does */
};
/* Bytes of a row of a table. */
static inline uint32_t records_row_bytes(int table)
{
    static const uint32_t bytes[RECORDS_TABLES] = {
        [RECORDS_TABLE_TEXT] = 1,
        [RECORDS_TABLE_SITES] = sizeof(struct records_site),
        [RECORDS_TABLE_ARRAYS] = sizeof(struct records_array),
        [RECORDS_TABLE_KERNELS] = sizeof(struct records_kernel),
        [RECORDS_TABLE_ACCESSES] = sizeof(struct records_access),
        [RECORDS_TABLE_LAUNCHES] = sizeof(struct records_launch),
        [RECORDS_TABLE_COUNTS] = sizeof(struct records_count),
        [RECORDS_TABLE_FAULTS] = sizeof(struct records_fault),
        [RECORDS_TABLE_CHUNKS] = sizeof(struct records_chunk),
    };
    return bytes[table];
}

/* ---- records.c: the reader -------------------------------------------------------------------- */

struct records;
/* Makes the file. `kernels`: the names that records_choice speaks of, or NULL; chunk_bytes: how much may be
 * kept of single accesses (a file in memory takes what is written). NULL: *error says why. */
struct records *records_new(const struct records_choice *choice, const char *kernels,
                            uint64_t chunk_bytes, struct error *error);
void records_free(struct records *records);
/* Before the child starts: what the machine code says of loops and registers (struct widths). false: they are too many; then counts are
 * those of loops as they are written. */
bool records_tell_code(struct records *records, const char *loops);
/* Sets RECORDS_FILE, in a child of the process that made the records, or in that one. They are found as long as it
 * lives. */
void records_export(const struct records *records);

/* What can be asked while the child runs. */
struct records_progress {
    bool attached;
    uint64_t launches;            /* that were begun */
    uint64_t blocks_done, blocks; /* of the one that runs; blocks 0: none does */
};
void records_progress(const struct records *records, struct records_progress *progress);

/* Takes what there is, after the child's end, and checks it. false: out of memory, or the file is damaged;
 * *error says which. Rows refer to each other by their numbers in these lists, and only to such as are
 * there; rows whose `ready` is 0 are not, and are all zeros. Texts are in `text`. */
struct records_taken {
    char *text; /* ended by a null byte */
    uint64_t text_bytes;
    struct records_site *site;
    struct records_array *array;
    struct records_kernel *kernel;
    struct records_access *access;
    struct records_launch *launch;
    struct records_count *count;
    struct records_fault *fault;
    uint64_t sites, arrays, kernels, accesses, launches, counts, faults;
    uint64_t lost[RECORDS_TABLES]; /* rows that found no room */
    uint64_t launched;             /* launches in all */
    uint32_t running; /* row of the launch that ran when the process ended, or RECORDS_NOTHING */
    bool attached;    /* a runtime was there */
};
bool records_take(const struct records *records, struct records_taken *taken, struct error *error);
void records_taken_free(struct records_taken *taken);

/* Hands over the blocks of a launch (a row's number) that were kept whole, in ascending order, their
 * entries in the order in which they happened. false: a function said so, out of memory, or the file is
 * damaged; *error says which. */
struct records_visitor {
    void *context;
    bool (*block)(void *context, uint64_t block, struct error *error);
    /* address and value are of the lanes of entry->mask, ascending; value: as many bytes of each as the
     * access says, or NULL. */
    bool (*access)(void *context, const struct records_entry *entry, const uint64_t *address,
                   const unsigned char *value, struct error *error);
    bool (*stage)(void *context, uint32_t warp, const char *name, size_t length,
                  struct error *error);
    bool (*round)(void *context, uint32_t warp, uint64_t round, struct error *error);
    /* text: name, type and text of the instruction. */
    bool (*executed)(void *context, const struct records_entry *entry, const unsigned char *value,
                     const char *const text[RECORDS_EXECUTED_TEXTS], struct error *error);
};
bool records_visit(const struct records *records, const struct records_taken *taken,
                   uint64_t launch, const struct records_visitor *visitor, struct error *error);

#endif
