/* machine.h - a GPU in software: PTX in, results and accesses of warps out. The tour of this folder.
 *
 *     text of PTX
 *       ptx/         parse.c: a module of functions, instructions, variables (ptx.h)
 *       ptxas/       what the assembler makes of them: loops unrolled (unroll.c), basic blocks in an order in which
 *                    lanes that part meet again (flow.c), accesses joined or dropped (join.c)
 *       decode/      decode.c: a step for each instruction: what does it, and where its operands are (step.h)
 *       run/         launch.c: blocks; schedule.c: their warps; warp.c: lanes of a warp; block.c: barriers
 *       operations/  what each instruction does to the lanes of a warp; math/: its arithmetic, to the bit
 *       check/       who may touch what, and when
 *       children.h   what kernels launch, for who runs the launch; run/children.c, run/system.c
 *     accesses, counts, faults
 *
 * To learn how a GPU executes a program, read step.h, then of run/ warp.c, schedule.c, block.c, launch.c and memory.c,
 * in this order; an instruction that stores is HANDLER(store) in operations/transfer.inc.
 *
 * A program of PTX is executed warp by warp: one instruction for all lanes of a warp, under a mask of
 * those that take part. A register is an array with an element for each lane. Of a warp's lanes, those at
 * the lowest position in the code go first, and meet the others there (warp.c); warps of a block
 * take turns after each basic block (schedule.c). Every access to memory is seen with its lanes, addresses
 * and width, counted where it is seen (count.c) and, if it is wanted, looked at by the checker (check.c,
 * doc/checker.md). Where the lanes lie as they did the last time, most of that is known (pattern.h).
 *
 *     struct machine_module *module = machine_load(memory, &text, 1, &error);
 *     const struct machine_kernel *kernel = machine_kernel(module, "scale");
 *     struct machine_launch launch = {.kernel = kernel, .grid = {4, 1, 1}, .block = {32, 1, 1}, ...};
 *     struct machine_run *run = machine_begin(&launch, &error);
 *     machine_work(run);
 *     machine_end(run, &outcome);
 *
 * Nothing here opens a file, starts a process, prints or ends the program, and there is no global state:
 * memory comes from the caller's allocator, trouble goes back as an error. The same code runs in a page.
 *
 * Words are those of doc/words.md. Sizes are bytes. Masks of lanes have lane 0 in their lowest bit.
 */
#ifndef BANKSCOPE_MACHINE_H
#define BANKSCOPE_MACHINE_H

#include "base/allocator.h"
#include "instrument/instrument.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MACHINE_LANES = 64,          /* of a warp at most; 32 unless asked otherwise */
    MACHINE_THREADS = 1024,      /* of a block */
    MACHINE_SHARED = 227 * 1024, /* bytes of shared memory of a block, of all kinds */
    MACHINE_STATIC_SHARED = 48 * 1024,
    MACHINE_PARAMETERS = 32764, /* bytes of a kernel's parameters */
    MACHINE_CLUSTER = 16,       /* blocks of a cluster */
    MACHINE_STACK = 512 * 1024, /* bytes of a thread's local memory, its stack included */
};

/* ---- memory.c: the memory of the device ------------------------------------------------------ */

/* What kernels may touch: ranges of addresses, each a range of the caller's memory. Where a program
 * runs natively, address and host are the same; elsewhere any addresses above 4096 and below 2^56
 * will do. A kernel that touches anything else has a fault. */
enum machine_memory_kind {
    MACHINE_DEVICE,   /* cudaMalloc */
    MACHINE_MANAGED,  /* cudaMallocManaged */
    MACHINE_PINNED,   /* cudaMallocHost, cudaHostRegister */
    MACHINE_VARIABLE, /* a __device__ or __constant__ variable; made by machine_load */
    MACHINE_HEAP,     /* malloc in a kernel; made by the machine */
    MACHINE_PASSED,   /* parameters of kernels that kernels launch; the same */
    MACHINE_MEMORY_KINDS
};
struct machine_range {
    uint64_t address, bytes;
    uint8_t *host;
    enum machine_memory_kind kind;
    bool read_only, freed;
    const char *name; /* of a variable or an array, else NULL; outlives the range */
    uint8_t *written; /* of the checker: a bit for each byte; NULL: all are */
};
struct machine_memory;
/* NULL: no memory. */
struct machine_memory *machine_memory_new(const struct allocator *allocator);
void machine_memory_free(struct machine_memory *memory);
/* Ranges must not overlap others that are not freed. undefined: its bytes count as never written, so
 * that the checker can name a read of them. Must not be called while a launch runs, but from the
 * launch's own thread. */
bool machine_memory_add(struct machine_memory *memory, const struct machine_range *range,
                        bool undefined, struct error *error);
/* Takes the range that begins there away. It stays known as freed, so that a later use can be named,
 * until a new range covers it. false: there is none. */
bool machine_memory_remove(struct machine_memory *memory, uint64_t address);
/* Whether a kernel that has malloc was launched: its heap is there and keeps its size. */
bool machine_memory_has_heap(const struct machine_memory *memory);
/* The ranges by address, freed ones too. NULL: no more. */
const struct machine_range *machine_memory_at(const struct machine_memory *memory, int index);
/* The range that an address is in, freed ones too, or NULL. */
const struct machine_range *machine_memory_find(const struct machine_memory *memory,
                                                uint64_t address);
/* For copies and sets of the host: marks bytes as written. Bytes outside of all ranges are ignored. */
void machine_memory_written(struct machine_memory *memory, uint64_t address, uint64_t bytes);

/* ---- parse.c, module.c: programs ------------------------------------------------------------- */

/* One text of PTX. It must outlive the module. */
struct machine_text {
    const char *text;
    size_t length;
    const char *name; /* for messages: "app.ptx" */
};
struct machine_module;
/* Links the texts (device functions may be in another text than the kernel) and places their variables
 * in memory, which must outlive the module. NULL: *error says what and where. Functions are decoded when
 * they are first launched. */
struct machine_module *machine_load(struct machine_memory *memory, const struct machine_text *text,
                                    int texts, struct error *error);
void machine_unload(struct machine_module *module);
/* Instructions without a .loc are at their lines of the text that they are in. To be said before a kernel is
 * decoded. */
void machine_own_lines(struct machine_module *module);

/* A parameter of a kernel, in the buffer of parameters. */
struct machine_parameter {
    const char *name;
    uint32_t offset, size;
    const char *type; /* as PTX says it: "u64", "b8" (an array of bytes: a struct) */
};
struct machine_kernel; /* an .entry */
/* By its name in PTX ("_Z5scalePf"), or NULL. */
struct machine_kernel *machine_kernel(struct machine_module *module, const char *name);
/* All kernels, in the order of the text. NULL: no more. */
struct machine_kernel *machine_kernel_at(struct machine_module *module, int index);
struct machine_kernel_facts {
    const char *name;
    int parameters;
    const struct machine_parameter *parameter;
    uint32_t parameter_bytes;
    uint32_t static_shared, local_bytes; /* known once it is decoded: machine_kernel_decode */
    uint32_t required[3], most_threads;  /* .reqntid, .maxntid; 0: not told */
    uint32_t cluster[3];                 /* .reqnctapercluster; 0: not told */
    int target;                          /* 80 for sm_80 */
    bool launches; /* it launches kernels, or asks the device's runtime anything; known likewise */
};
void machine_kernel_facts(const struct machine_kernel *kernel, struct machine_kernel_facts *facts);
/* Decodes it and all that it calls now, rather than with its first launch. false: *error names the
 * instruction that is not understood, and its line. */
bool machine_kernel_decode(struct machine_kernel *kernel, struct error *error);
/* A loop that ptxas may take several turns of together: the line of the text that its branch is in, and its text,
 * in which those of its accesses are (struct machine_access_facts). */
struct machine_loop {
    const char *function; /* not ended by a null byte: */
    int function_length;
    int line;
    const char *begin, *end;
};
/* Tells of a loop of a decoded kernel. 0: no such index. */
int machine_kernel_loop(const struct machine_kernel *kernel, int index, struct machine_loop *loop);
/* Takes turns of that loop together, as ptxas does: four, then two, then one; first_apart: unroll.h.
 * To be said before a kernel is decoded that has it; a loop that there is not changes nothing. false: no memory. */
bool machine_unroll(struct machine_module *module, const char *function, int function_length,
                    int line, bool first_apart);
/* A variable of the module: where it is. false: there is none of that name. */
bool machine_variable(struct machine_module *module, const char *name, uint64_t *address,
                      uint64_t *bytes);

/* A place of the source: what a line of the table names. inlined_at is the site of the call that was
 * inlined, or -1. */
struct machine_site {
    const char *file, *function; /* function: "" if it is not told */
    int line, column, inlined_at;
};
/* The accesses of a kernel to memory, numbered from 0. Those that ptxas makes one have one number. */
struct machine_access_facts {
    bool global; /* else shared */
    /* It is to the thread's own memory, of which no observer is told; global is set, too. */
    bool local;
    enum op op;       /* OP_LOAD, OP_STORE, ... */
    int bytes;        /* of a lane: 1..16 */
    int site;         /* -1: the PTX has no lines */
    const char *text; /* of its instruction in PTX, not ended by a null byte: */
    int text_length;
    /* The shared variable; of global memory the parameter or the variable of the module; NULL:
     * not known. */
    const char *array;
};
int machine_kernel_accesses(const struct machine_kernel *kernel);
void machine_kernel_access(const struct machine_kernel *kernel, int access,
                           struct machine_access_facts *facts);
int machine_module_sites(const struct machine_module *module);
void machine_module_site(const struct machine_module *module, int index, struct machine_site *site);
/* What ptxas makes of an instruction that accesses memory (join.h). */
enum machine_became {
    MACHINE_AS_WRITTEN,
    MACHINE_LEADS,    /* others join it, or it has another width than it is written */
    MACHINE_PART,     /* it joins another */
    MACHINE_VANISHES, /* there is no such access in machine code */
};
/* An instruction of a kernel or of a function that it calls. Texts are not ended by a null byte. */
struct machine_instruction {
    const char *text,
        *label; /* with its predicate, without the semicolon; a label before it, or NULL */
    int text_length, label_length;
    const char *function; /* as PTX has it */
    int function_length;
    int line, site; /* of the text, from 1; -1: the PTX has no lines */
    enum machine_became became;
    const char *why;  /* "" */
    const char *lead; /* of MACHINE_PART: the text of the instruction that counts it */
    int bytes;        /* of MACHINE_LEADS: of a lane */
};
/* The instructions of a decoded kernel, in the order of the text, the kernel's own first. Each is there once, however
 * many turns of its loop are taken together; where all are, as ptxas does, there is no branch back. NULL: no memory;
 * else it lasts as long as the module. */
const struct machine_instruction *machine_kernel_listing(struct machine_kernel *kernel, int *count);
/* Shared variables of a kernel, as they lie in its shared memory. */
struct machine_shared {
    const char *name;
    uint32_t offset, bytes, align;
    bool dynamic; /* extern __shared__: bytes is what the launch says */
};
int machine_kernel_shared(const struct machine_kernel *kernel, int index,
                          struct machine_shared *shared); /* 0: no such index */

/* ---- launch.c: running a kernel -------------------------------------------------------------- */

/* What the lanes of a warp did to memory in one step: handed out as it happens, valid during the call. */
struct machine_access {
    int access; /* number of the kernel's access */
    bool global;
    enum op op;
    int bytes;               /* of a lane */
    uint64_t block;          /* number of the block in the grid */
    uint32_t warp;           /* of the block */
    uint32_t phase;          /* barriers of the block that the warp has passed */
    uint64_t step;           /* number of the step of this warp */
    uint64_t mask;           /* lanes */
    const uint64_t *address; /* of each lane of the mask; in shared memory from 0 */
    /* What each lane reads or writes, at lane * bytes; NULL: not known. */
    const uint8_t *value;
    uint8_t *shared; /* the block's shared memory: what is changed there now is what a load reads */
};

/* A register that an instruction has written. */
struct machine_result {
    char name[64];
    const char *type;     /* "f32", "u64", "b32", "pred" */
    int bytes;            /* of a lane; of a predicate 1 */
    const uint8_t *value; /* of each lane, at lane * bytes */
};
enum { MACHINE_RESULTS = 128, MACHINE_RESULT_PREDICATES = 2 /* of an instruction, at most */ };
/* An instruction that lanes of a warp have executed: handed out when they have, valid during the call. Texts are not
 * ended by a null byte. */
struct machine_executed {
    const char *function, *text;
    int function_length, text_length;
    int line, site; /* of the text, from 1; -1: the PTX has no lines */
    uint64_t block;
    uint32_t warp, phase;
    uint64_t mask; /* lanes */
    int results;   /* registers, in the order of the text; 0: none, or the warp stopped in it */
    const struct machine_result *result;
};

enum machine_fault_kind {
    MACHINE_FAULT_ADDRESS, /* nothing of the program's is there; freed; read-only */
    MACHINE_FAULT_ALIGNMENT,
    MACHINE_FAULT_INSTRUCTION, /* not understood, or illegal here */
    MACHINE_FAULT_TRAP,
    MACHINE_FAULT_ASSERT,
    MACHINE_FAULT_BARRIER, /* nothing can go on: a deadlock */
    MACHINE_FAULT_STACK,
    MACHINE_FAULT_MEMORY, /* the host has no memory for it */
    MACHINE_FAULT_LIMIT,  /* the limit of instructions, or stopped by the caller */
    /* From here on the launch goes on: */
    MACHINE_FAULT_RACE,
    MACHINE_FAULT_UNWRITTEN,
    MACHINE_FAULT_MASK,     /* names lanes that are absent */
    MACHINE_FAULT_RETURNED, /* a barrier that does not wait for threads that have returned */
    MACHINE_FAULT_COPY,     /* an asynchronous copy is used before it is waited for */
    MACHINE_FAULT_PROXY, /* a bulk copy or wgmma reads what a thread stored without fence.proxy.async */
    MACHINE_FAULT_OVERWRITE,  /* of what a bulk copy or wgmma may still read */
    MACHINE_FAULT_SUMS,       /* of wgmma are used before they are waited for */
    MACHINE_FAULT_BOUNDS,     /* of an array, within memory; a load beside an allocation */
    MACHINE_FAULT_DIVERGENCE, /* threads wait at different barriers, lanes of one warp among them */
    MACHINE_FAULT_LANES,      /* counts on 32 lanes, in a launch whose warps have another number */
    MACHINE_FAULT_FENCE, /* an atomic operation tells another block of a store without a fence before it */
    MACHINE_FAULT_CHILD, /* a kernel's launch of another: more than may wait, pointers to what is its own */
    MACHINE_FAULT_KINDS
};
/* Its name in reports and options: "race", "out-of-bounds", ... */
const char *machine_fault_name(enum machine_fault_kind kind);
bool machine_fault_ends(enum machine_fault_kind kind);
struct machine_fault {
    enum machine_fault_kind kind;
    char text[400];       /* one line: what, of which array */
    int site, other_site; /* where; where the other access was; -1: not known */
    uint32_t block[3], thread[3];
    uint64_t count; /* how often at this place, set in the end */
};

/* What a launch tells. Each function may be NULL; they may be called from several threads at a time,
 * but for one block only from one. */
struct machine_observer {
    void *context;
    /* A fault that ends the launch, when it happens. What goes on is told in machine_end, each place once. */
    void (*fault)(void *context, const struct machine_fault *fault);
    /* What the kernel prints. */
    void (*print)(void *context, const char *text, size_t length);
    /* Accesses of the blocks for which `wants` says yes; a block is asked for when it starts. */
    bool (*wants)(void *context, uint64_t block);
    void (*access)(void *context, const struct machine_access *access);
    /* Instructions of the warps for which `follows` says yes; a warp is asked for when it starts. Its accesses are
     * told before the instruction that makes them. */
    bool (*follows)(void *context, uint64_t block, uint32_t warp);
    void (*executed)(void *context, const struct machine_executed *executed);
    /* A stage or round that the source names (BANKSCOPE_STAGE, BANKSCOPE_ROUND): of lanes of a warp. */
    void (*stage)(void *context, uint64_t block, uint32_t warp, const char *name, size_t length);
    void (*round)(void *context, uint64_t block, uint32_t warp, int64_t round);
    /* A part of shared memory that the source names (simt_machine.h): "float tile 17179869184", its type, its name, and
     * in one number where it begins (the low 32 bits) and how many bytes it has. */
    void (*array)(void *context, uint64_t block, uint32_t warp, const char *text, size_t length);
    void (*block_end)(void *context, uint64_t block);
    /* Threads of a wanted block have met at a barrier, and phase `phase` begins. */
    void (*barrier)(void *context, uint64_t block, uint32_t phase);
    /* Asked now and then: whether to stop. */
    bool (*stop)(void *context);
};

struct machine_textures; /* texture.c */
struct machine_children; /* children.h */
struct machine_launch {
    struct machine_kernel *kernel;
    uint32_t grid[3], block[3];
    /* Blocks of a cluster, which are resident together; 0: as the kernel says. */
    uint32_t cluster[3];
    uint32_t dynamic_shared;
    const void *parameters;                 /* kernel's parameter_bytes, copied */
    int warp;                               /* lanes; 0: 32 */
    int banks, bank_bytes;                  /* 0: as many as lanes, of 4 bytes */
    bool cooperative;                       /* all blocks are resident */
    bool count, check;                      /* counts of accesses; races, unwritten reads, ... */
    bool global;                            /* global memory is counted, too */
    bool values;                            /* the observer gets what is read and written */
    uint64_t first_counted, counted_blocks; /* the blocks that are counted; 0: all */
    uint32_t checks_off;        /* bits 1 << enum machine_fault_kind that are not wanted */
    uint64_t instruction_limit; /* of warps, for the whole launch, with what is charged; 0: none */
    uint64_t heap_bytes;        /* for malloc in kernels; 0: 8 MiB */
    uint64_t stack_bytes;       /* of a thread, for recursion; 0: 1 KiB */
    uint64_t shadow_bytes;      /* of the checker's, for races in global memory; 0: 1 GiB */
    uint64_t order_seed;        /* order in which warps take turns; 0: ascending */
    uint32_t multiprocessors;   /* what %nsmid says; 0: 132 */
    const struct machine_observer *observer;
    const struct machine_textures *textures; /* that kernels have handles of; NULL: none */
    struct machine_children *children; /* what they launch (children.h); NULL: they must not */
};

/* Counts of one access of the kernel. */
struct machine_count {
    uint64_t instructions; /* executed by a warp */
    uint64_t lanes;        /* that took part, summed up */
    uint64_t passes;       /* shared: cycles of the banks; global: sectors of 32 bytes */
    uint64_t conflicts;    /* passes, or sectors, beyond what the bytes need */
    /* Global: requests whose sectors are (struct sector_cost). Shared: instructions of a loop that tries again when
     * another warp of the block was first, of which a GPU executes at least as many. */
    uint64_t estimates;
    /* How often it was seen that lanes come, or their places have passes, as it depends on which warp is first (chance.c). */
    uint64_t chances;
    uint32_t max_ways;  /* global: the most sectors of a warp's request */
    uint32_t low, high; /* shared: the lowest and the highest address of the first lanes */
};
struct machine_outcome {
    bool good;                  /* all blocks ran to their end */
    struct machine_fault fault; /* what ended it, when !good */
    uint64_t blocks, instructions, lane_instructions;
    /* printf and functions of libm, as so many instructions: the limit is for both. */
    uint64_t charged;
    bool partly_checked; /* more of global memory was touched than races are looked for in */
    const struct machine_count *count; /* of each of the kernel's accesses; NULL: not counted. Valid
                                        * until machine_free_run */
    int counts;
};

struct machine_run;
/* NULL: *error says what is wrong with the launch, or what could not be decoded. */
struct machine_run *machine_begin(const struct machine_launch *launch, struct error *error);
/* Runs blocks until none is left. May be called by several threads at a time: each takes blocks as it
 * goes. */
void machine_work(struct machine_run *run);
/* What has been done and counted so far, for observer.stop: other threads go on meanwhile. count: room for a row
 * of each of the kernel's accesses, which becomes outcome->count. */
void machine_so_far(struct machine_run *run, struct machine_count *count,
                    struct machine_outcome *outcome);
/* What a launch did to bytes of global memory: of several things the one that tolerates least beside it. */
enum machine_touch {
    MACHINE_TOUCH_READ,
    MACHINE_TOUCH_READ_STRONG, /* atomically, by volatile, or with an order */
    MACHINE_TOUCH_STORED_STRONG,
    MACHINE_TOUCH_STORED,
    MACHINE_TOUCHES
};
/* Behind machine_work and before machine_end, of a launch that is checked: tells which bytes it touched, by rising
 * addresses, those that are side by side and alike as one. Of the device's heap nothing is told. false: there was more than
 * the checker's shadows have room for. */
bool machine_touched(const struct machine_run *run,
                     void (*tell)(void *context, enum machine_touch touch, uint64_t address,
                                  uint64_t bytes),
                     void *context);
/* After all threads have returned from machine_work. */
void machine_end(struct machine_run *run, struct machine_outcome *outcome);
void machine_free_run(struct machine_run *run);

/* ---- variables that live where the host has them ---------------------------------------------- */

/* Puts a variable of the module where the host has bytes of its own for it, before any kernel is decoded (a
 * __managed__ variable of clang's is the host's); they are its address, too. Its initial value goes there, and
 * initialisers that name the variable follow. false: there is none of that name, or no memory. */
bool machine_place_variable(struct machine_module *module, const char *name, uint8_t *host);

/* ---- tensor.c: tensor maps ----------------------------------------------------------------------- */

/* Numbered as CUtensorMapDataType and CUtensorMapSwizzle are. */
enum machine_tensor_type {
    MACHINE_TENSOR_U8,
    MACHINE_TENSOR_U16,
    MACHINE_TENSOR_U32,
    MACHINE_TENSOR_S32,
    MACHINE_TENSOR_U64,
    MACHINE_TENSOR_S64,
    MACHINE_TENSOR_F16,
    MACHINE_TENSOR_F32,
    MACHINE_TENSOR_F64,
    MACHINE_TENSOR_BF16,
    MACHINE_TENSOR_F32_FTZ,
    MACHINE_TENSOR_TF32,
    MACHINE_TENSOR_TF32_FTZ,
    MACHINE_TENSOR_TYPES
};
enum { MACHINE_TENSOR_MAP = 128 }; /* bytes of a map, which a program carries to its kernels */
struct machine_tensor {
    int type, rank; /* rank: dimensions, 1 to 5, the innermost first */
    uint64_t address;
    uint64_t size[5], stride[4]; /* elements; bytes, of dimensions 1 on */
    uint32_t box[5], step[5];    /* elements that a copy has, and which: every step-th */
    int interleave;              /* 0 */
    int swizzle;                 /* 0: none, 1: of 32 bytes, 2: 64, 3: 128 */
    bool fill;                   /* NaN outside of the tensor, else 0 */
    /* im2col: a column of pixels rather than a box, of so many channels each; 0: a box. Its pixels are in the tensor less
     * `lower` at its beginning and plus `upper` at its end, of dimensions 1 to rank - 2. */
    uint32_t channels, pixels;
    int lower[3], upper[3];
};
/* false: *error says what is wrong. */
bool machine_tensor_encode(const struct machine_tensor *tensor, void *map, struct error *error);

/* ---- texture.c: textures and surfaces ---------------------------------------------------------- */

enum machine_texel_kind { MACHINE_TEXEL_SIGNED, MACHINE_TEXEL_UNSIGNED, MACHINE_TEXEL_FLOAT };
enum machine_wrap { MACHINE_WRAP, MACHINE_CLAMP, MACHINE_MIRROR, MACHINE_BORDER };
/* Rows of texels, and how they are fetched. The bytes stay the caller's. */
struct machine_texture {
    uint8_t *texels;
    uint32_t width, height, depth; /* texels; at least 1 */
    uint64_t pitch, slice;         /* bytes from row to row, from plane to plane */
    int channels, bits;            /* 1, 2 or 4 channels of 8, 16 or 32 bits */
    enum machine_texel_kind kind;
    bool normalized_coordinates; /* 0..1 rather than texels */
    bool normalized_values;      /* integers are read as 0..1 or -1..1 */
    bool linear_filter;          /* between neighbours, with weights of 8 bits after the point */
    enum machine_wrap wrap[3];   /* beyond the edges */
    float border[4];
};
/* The textures and surfaces that kernels have handles of. Not to be changed while a launch runs. */
struct machine_textures *machine_textures_new(const struct allocator *allocator);
void machine_textures_free(struct machine_textures *textures);
/* The handle, never 0; 0: no memory. */
uint64_t machine_texture_add(struct machine_textures *textures,
                             const struct machine_texture *texture);
/* false: there is none of that handle. */
bool machine_texture_remove(struct machine_textures *textures, uint64_t handle);
/* NULL: there is none. */
const struct machine_texture *machine_texture_find(const struct machine_textures *textures,
                                                   uint64_t handle);
/* What a fetch gives: floats, or the integers of an integer texture that is not normalised. */
union machine_texel {
    float f[4];
    int32_t i[4];
    uint32_t u[4];
};
/* tex.1d, .2d, .3d at `at`; of an array of textures (.a1d, .a2d) the one that `layer` says. */
void machine_texture_fetch(const struct machine_texture *texture, int dimensions, const float at[3],
                           int32_t layer, union machine_texel *texel);
/* The filtered texel of a cube map in a direction (tex.cube, tex.acube); its depth is six times its layers. */
void machine_texture_cube(const struct machine_texture *texture, const float at[3], int32_t layer,
                          union machine_texel *texel);
/* The texel at integer coordinates (tex.1d.v4.f32.s32: tex1Dfetch); zeros outside. */
void machine_texture_element(const struct machine_texture *texture, const int32_t at[3],
                             union machine_texel *texel);
/* tld4: one channel of the four texels around a place, in the order that tex2Dgather has. */
void machine_texture_gather(const struct machine_texture *texture, float x, float y, int channel,
                            union machine_texel *texel);
enum machine_outside { MACHINE_OUTSIDE_ZERO, MACHINE_OUTSIDE_CLAMP, MACHINE_OUTSIDE_TRAP };
/* Where `bytes` of a surface lie; at[0] counts bytes. NULL: outside, so that zeros are read, nothing is
 * written, or, with MACHINE_OUTSIDE_TRAP, the launch ends. */
uint8_t *machine_surface(const struct machine_texture *texture, const int32_t at[3], int bytes,
                         enum machine_outside outside);

#ifdef __cplusplus
}
#endif
#endif
