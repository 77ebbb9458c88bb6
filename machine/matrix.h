/* matrix.h - operands of instructions for matrices, textures and surfaces: step->extra. */
#ifndef BANKSCOPE_MACHINE_MATRIX_H
#define BANKSCOPE_MACHINE_MATRIX_H

#include "machine/step.h"

enum product_kind {
    PRODUCT_UNSIGNED,
    PRODUCT_SIGNED,
    PRODUCT_HALF,
    PRODUCT_BRAIN,
    PRODUCT_TF32,
    PRODUCT_E4M3,
    PRODUCT_E5M2,
    PRODUCT_FLOAT,
    PRODUCT_DOUBLE,
};
struct product_type {
    enum product_kind kind;
    int bits;
};
/* How the lanes of a warp share out a matrix: in tiles of 8 x 4 * each elements, of which a lane has `each`
 * neighbours. Which lane has which element, and what a load or store of one does to memory, is that of nvcc
 * 13.0's code for sm_90, read from the machine code of every shape and type.
 *
 *     outer    the row of A, the column of B, the row of C (of 8 x 32: its column): 8 * tile + lane / 4
 *     inner    k, the column of C (of 8 x 32: its row): 4 * each * tile + each * (lane % 4) + 0 .. each - 1
 */
enum { PRODUCT_REGISTERS = 8, PRODUCT_A = 16 * 256, PRODUCT_B = 8 * 256, PRODUCT_CELLS = 256 };
struct fragment {
    struct product_type type;
    int outer, inner;
    int each, across, tiles; /* across: tiles in a row of them */
    bool across_first;       /* in which order they are numbered */
    bool turned;             /* C of 8 x 32 */
    uint32_t reg[PRODUCT_REGISTERS];
};
enum product_role { PRODUCT_OF_A, PRODUCT_OF_B, PRODUCT_OF_C };

/* Which elements of a row of A a sparse product has: of each four units two, of a unit of bits * 2 for elements of 4 bits,
 * of half an element for tf32 (so one of each two). 4 bits say it, two for the place of each unit. In groups of four lanes
 * `lanes` of them, from `first` on, have those of rows lane / 4 and lane / 4 + 8. lanes 0: the product is dense. */
struct sparse {
    uint32_t reg;
    int first, lanes;
};

/* D = A * B + C; rows x depth times depth x columns. */
struct product {
    int rows, columns, depth;
    struct fragment d, a, b, c;
    struct sparse sparse; /* A has half of its depth */
    bool saturates;
    bool differ; /* bits: how many differ, rather than how many are set in both */
};

/* wgmma.mma_async: 64 rows by four warps. step->a: the descriptor of A (0: it is in registers), b: of B; c: a predicate:
 * whether D is added to (0: step->immediate says). */
enum wgmma_sum_kind { WGMMA_FLOAT, WGMMA_HALF, WGMMA_WHOLE };
struct wgmma {
    int columns, depth;
    struct product_type a_type, b_type;
    enum wgmma_sum_kind sum;
    uint32_t d[128], a[4];
    uint32_t number[128], a_number[4]; /* of those registers, for the checker: check_sums.c */
    bool minus_a, minus_b, turned_a, turned_b;
    struct sparse sparse;
    struct access read_a, read_b;
};

/* wmma.load, wmma.store: the matrix lies in memory by `stride` elements, with neighbours along `inner`
 * (straight) or along `outer`. */
struct wmma {
    struct fragment fragment;
    struct access piece; /* each lane its own elements */
    struct access rows; /* LDSM: rows of 16 bytes of `matrices` tiles; 0: there is no such access */
    int matrices;
    bool if_shared; /* the PTX does not say where it is, but nvcc's would */
    bool straight, stores;
    int registers; /* more than the elements fill: these are repeated */
};

/* A fetch from a texture, a load or store of a surface. */
struct fetch {
    uint32_t handle; /* a register */
    bool by_name;    /* it holds the address of the variable with the handle */
    int dimensions, channel;
    bool layered, whole, gathers, cube, stores;
    int outside; /* enum machine_outside */
    uint32_t coordinate[4], reg[4];
    uint8_t bytes, elements, register_bytes; /* of a surface's elements */
};

#endif
