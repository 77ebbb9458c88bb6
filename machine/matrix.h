/* matrix.h - operands of instructions for matrices, textures and surfaces: step->extra. */
#ifndef BANKSCOPE_MACHINE_MATRIX_H
#define BANKSCOPE_MACHINE_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

enum product_kind {
    PRODUCT_UNSIGNED,
    PRODUCT_SIGNED,
    PRODUCT_HALF,
    PRODUCT_BRAIN,
    PRODUCT_TF32,
    PRODUCT_FLOAT,
    PRODUCT_DOUBLE,
};
struct product_type {
    enum product_kind kind;
    int bits;
};
enum { PRODUCT_REGISTERS = 8, PRODUCT_DEPTH = 256 };
/* D = A * B + C; rows x depth times depth x 8. */
struct product {
    int rows, columns, depth;
    struct product_type d, a, b, c;
    uint32_t d_reg[PRODUCT_REGISTERS], a_reg[PRODUCT_REGISTERS], b_reg[PRODUCT_REGISTERS],
        c_reg[PRODUCT_REGISTERS];
    bool saturates;
};

/* A fetch from a texture, a load or store of a surface. */
struct fetch {
    uint32_t handle; /* a register */
    bool by_name;    /* it holds the address of the variable with the handle */
    int dimensions, channel;
    bool layered, whole, gathers, stores;
    int outside; /* enum machine_outside */
    uint32_t coordinate[4], reg[4];
    uint8_t bytes, elements, register_bytes; /* of a surface's elements */
};

#endif
