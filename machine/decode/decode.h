/* decode.h - what the files of decoding share: decode.c, collect.c (what a kernel needs), and the binders of
 * instructions whose operands a row of the table cannot describe. */
#ifndef BANKSCOPE_MACHINE_DECODE_H
#define BANKSCOPE_MACHINE_DECODE_H

#include "machine/ptxas/effect.h"
#include "machine/module.h"

enum { DECODE_MOST_FRAME = 64 << 20 }; /* bytes of a frame */

/* A step that puts such a register into `to`, of `wanted` bytes. */
bool decode_resize_into(struct decoder *decoder, uint32_t from, uint32_t bytes, uint32_t to,
                        uint32_t wanted, bool is_signed);
/* Bytes of a register of a type. */
uint32_t decode_register_bytes(enum ptx_type type);
/* arena_grow, of the module's memory. */
bool decode_grow(struct decoder *decoder, void *array, int *room, int count, size_t size);

/* ---- origin.c --------------------------------------------------------------------------------- */

/* What is known of a register's values. */
struct origin {
    const struct ptx_variable *variable; /* in shared memory, that it points into */
    bool unknown;                        /* it may point into several */
    int mentions;                        /* as an operand in the body; 1: nobody reads it */
};
/* The origin of each register of the body. NULL: no memory. */
const struct origin *origins_of(struct decoder *decoder);

/* ---- origin_global.c -------------------------------------------------------------------------- */

/* What is known of an address of global memory. */
struct global_origin {
    /* A parameter that is the pointer, or a variable of the module. */
    const struct ptx_variable *variable;
    bool unknown; /* it may be of several, or of one that nobody names */
    bool pointer; /* it is no number */
};
const struct global_origin *global_origins_of(struct decoder *decoder);
/* Notes the name of the array for an access (a number, or -1) whose address is made of that operand. */
void global_array_note(struct decoder *decoder, int access, const struct ptx_operand *base);

/* ---- reach.c ---------------------------------------------------------------------------------- */

/* Whether the register decides where shared memory is accessed, or which lanes go where. */
bool reaches_shared(struct decoder *decoder, int reg);

/* ---- collect.c ------------------------------------------------------------------------------- */

/* Finds the functions that a kernel may call, parses them, and lays out the shared variables that they
 * name: in the order of their declaration, the module's first. */
bool kernel_collect(struct kernel_code *kernel, struct error *error);
uint32_t decode_shared_offset(const struct decoder *decoder, const struct ptx_variable *variable);
/* Gives the parameters, results and local variables of the function a place. */
bool decode_places(struct decoder *decoder);
/* Where one is. */
const struct place *decode_place(const struct decoder *decoder,
                                 const struct ptx_variable *variable);

/* ---- check/check_sums.c ---------------------------------------------------------------------- */

/* Numbers the registers that may hold sums of wgmma. false: *error says why. */
bool sums_find(struct decoder *decoder);
/* The operand's number; 0: it has none. */
uint32_t sums_number(const struct decoder *decoder, const struct ptx_operand *operand);
/* A step before the instruction, if it uses such registers. */
bool sums_bind(struct decoder *decoder);

/* ---- special.c ------------------------------------------------------------------------------- */

/* The number of a special register, or -1. */
int special_named(struct slice name);
/* Whether it says where the system's part of a block's shared memory is. */
bool special_reserves(int which);

/* ---- bind_access.c: what other binders need of it ---------------------------------------------- */

/* The memory that an instruction names; PTX_GENERIC: none. */
enum ptx_space bind_space(const struct ptx_instruction *instruction);
/* The last type among its words. */
enum ptx_type bind_last_type(const struct ptx_instruction *instruction);
/* The registers of a vector, or of one operand, go into access->reg: `results` are written. */
bool bind_elements(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                   bool results, struct access *access);

typedef bool binder(struct decoder *decoder, const struct ptx_instruction *instruction,
                    const struct operation *operation, const int *choice);
binder bind_branch, bind_table, bind_call, bind_load, bind_store, bind_atomic, bind_atomic_vector,
    bind_cvta, bind_barrier, bind_copy, bind_mark, bind_nothing, bind_fence, bind_vector,
    bind_matrices, bind_product, bind_wmma, bind_mbarrier, bind_bulk, bind_async_store,
    bind_replace, bind_publish, bind_wgmma, bind_fetch, bind_surface;

/* The metadata of a sparse product, in a register and of some of each four lanes (the operand behind it): bind_product.c. */
struct sparse;
bool bind_sparse(struct decoder *decoder, const struct ptx_operand *operand, int depth, int bits,
                 struct sparse *sparse);

#endif
