/* ptx.h - inline PTX, which runs instruction by instruction (an interpreter).
 *
 * The rewriter makes asm("...") of device code a call of hostcuda_ptx, which gets the text and the operands.
 * The text is parsed once (parse.c) and kept; then each thread runs it: what only concerns the thread is in
 * arithmetic.c, memory accesses in memory.c, what a warp does together in warp.c. Accesses of shared memory
 * are recorded as those of the call's line.
 */
#ifndef BANKSCOPE_HOSTCUDA_PTX_H
#define BANKSCOPE_HOSTCUDA_PTX_H

#include "hostcuda/engine/engine.h"

enum {
    PTX_WORDS = 12,    /* of an opcode: cp.async.ca.shared.global.L2::128B has six */
    PTX_OPERANDS = 24, /* of an instruction, the elements of vectors one by one */
    PTX_REGISTERS = 64,
};

/* The type of an instruction's operands. */
struct ptx_type {
    enum { PTX_BITS, PTX_UNSIGNED, PTX_SIGNED, PTX_FLOAT, PTX_BRAIN, PTX_PREDICATE } kind;
    int bits;  /* of an element; 0: the instruction has no type */
    int lanes; /* 2: f16x2, bf16x2 */
    bool tf32;
};

#define PTX_U32 ((struct ptx_type){PTX_UNSIGNED, 32, 1, false})
#define PTX_U64 ((struct ptx_type){PTX_UNSIGNED, 64, 1, false})

struct ptx_operand {
    enum {
        PTX_OPERAND,   /* of the asm statement: number */
        PTX_REGISTER,  /* declared in the text: number */
        PTX_IMMEDIATE, /* value */
        PTX_SPECIAL,   /* number: enum ptx_special */
        PTX_SINK,      /* _ */
        PTX_LABEL,     /* number: of the instruction to go on with */
    } kind;
    int number;
    uint64_t value; /* of an immediate; of a label until it is resolved: where its name stands */
    bool is_float;  /* an immediate that was written as a float (of 64 bits) */
    bool not ;      /* !p */
    bool address;   /* [at + offset] */
    int64_t offset;
    int offset_from; /* 0, or 1 + the statement's operand that is the offset */
};

/* Special registers; names and numbers in one order. */
#define PTX_SPECIALS                                                                               \
    "tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ntid.z", "ctaid.x", "ctaid.y", "ctaid.z",      \
        "nctaid.x", "nctaid.y", "nctaid.z", "laneid", "warpid", "nwarpid", "smid", "nsmid",        \
        "gridid", "clock", "clock64", "globaltimer", "lanemask_eq", "lanemask_le", "lanemask_lt",  \
        "lanemask_ge", "lanemask_gt", "dynamic_smem_size", "total_smem_size", "WARP_SZ"
enum ptx_special {
    PTX_TID,
    PTX_NTID = 3,
    PTX_CTAID = 6,
    PTX_NCTAID = 9,
    PTX_LANEID = 12,
    PTX_WARPID,
    PTX_NWARPID,
    PTX_SMID,
    PTX_NSMID,
    PTX_GRIDID,
    PTX_CLOCK,
    PTX_CLOCK64,
    PTX_GLOBALTIMER,
    PTX_LANEMASK_EQ,
    PTX_LANEMASK_LE,
    PTX_LANEMASK_LT,
    PTX_LANEMASK_GE,
    PTX_LANEMASK_GT,
    PTX_DYNAMIC_BYTES,
    PTX_SHARED_BYTES,
    PTX_WARP_SIZE,
};

struct ptx_instruction;
struct ptx_run;
typedef void ptx_function(struct ptx_run *run, const struct ptx_instruction *instruction);

/* Of mma: D (rows x columns) = A (rows x depth) B (depth x columns) + C. */
struct ptx_shape {
    int rows, columns, depth; /* 0: there is no such product here */
    struct ptx_type d, a, b, c;
};

/* What a text consists of. */
struct ptx_instruction {
    ptx_function *function;
    const char *word[PTX_WORDS]; /* of the opcode: "ld", "shared", "v4", "f32" */
    int words;
    struct ptx_type type, to; /* the last type of the opcode; the one before it, or the same */
    int types;                /* words of the opcode that are types */
    int vector;               /* elements: v2, v4; 1 */
    bool guarded;
    struct ptx_operand guard; /* @p, @!p */
    struct ptx_operand operand[PTX_OPERANDS];
    int operands;
    int lead;   /* elements of the first: {a, b} has 2 */
    int second; /* d|p: the operand behind the bar, or -1 */
    int detail; /* the function's own, from its name's table */
    struct ptx_shape shape;
};
struct ptx_code {
    const char *text;
    struct ptx_instruction *instruction;
    int instructions;
    char *names;     /* the words' characters */
    char wrong[160]; /* why it cannot run, or "" */
    struct ptx_code *next;
};

/* A thread's run of a code. */
struct ptx_run {
    uintptr_t pc;                     /* the statement */
    int next;                         /* instruction */
    uint64_t input[PTX_OPERANDS * 2]; /* values of the statement's operands */
    uint64_t reg[PTX_REGISTERS];
};

/* parse.c */
struct ptx_code *ptx_parse(const char *text, int operands, const struct hostcuda_operand *operand);
bool ptx_has(const struct ptx_instruction *instruction, const char *word);
bool ptx_type_of(const char *word, struct ptx_type *type);

/* run.c: the low bits of a value, extended if they are signed. */
uint64_t ptx_cut(uint64_t value, int bits, bool is_signed);
/* The value of an operand, in the low bits; of a signed type extended. */
uint64_t ptx_read(struct ptx_run *run, const struct ptx_operand *operand, struct ptx_type type);
void ptx_write(struct ptx_run *run, const struct ptx_operand *operand, uint64_t value);
bool ptx_read_predicate(struct ptx_run *run, const struct ptx_operand *operand);
/* Ends the launch: the instruction is not one that runs here. */
void ptx_unknown(struct ptx_run *run, const struct ptx_instruction *instruction)
    __attribute__((noreturn));
/* The same unless `enough` holds, for example of the number of operands. */
void ptx_needs(struct ptx_run *run, const struct ptx_instruction *instruction, bool enough);

/* The functions of opcodes. NULL: there is no such opcode. */
struct ptx_entry {
    const char *name;
    ptx_function *function;
    int detail;
};
extern const struct ptx_entry ptx_arithmetic[], ptx_memory[], ptx_warp[]; /* end with a null name */

/* memory.c: where operand [a + offset] points in shared memory; the launch ends unless all bytes are there. */
char *ptx_shared(struct ptx_run *run, const struct ptx_instruction *instruction,
                 const struct ptx_operand *operand, size_t bytes);

/* warp.c: fills the shape of mma. */
void ptx_read_shape(struct ptx_instruction *instruction);

/* arithmetic.c: a float of that type, in the low bits, and back, rounded to the nearest. */
double ptx_to_double(uint64_t bits, struct ptx_type type);
uint64_t ptx_from_double(double value, struct ptx_type type);

#endif
