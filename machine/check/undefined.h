/* undefined.h - the undefined bits of a warp's registers. */
#ifndef BANKSCOPE_MACHINE_UNDEFINED_H
#define BANKSCOPE_MACHINE_UNDEFINED_H

#include "machine/check/check.h"

enum {
    UNDEFINED_REGISTERS = 32, /* of a warp; what is more is not followed */
    UNDEFINED_LANES = 32,
    UNDEFINED_BYTES = 16 * UNDEFINED_LANES, /* of the largest register */
};

/* Where undefined bits are from. */
struct undefined_source {
    int site; /* of the shuffle */
    int lane; /* that did not take part in it */
};

/* The registers of a function that have undefined bits. */
struct undefined {
    const struct code *code;
    int count;
    struct undefined_register {
        int reg;
        struct undefined_source source; /* of the first */
        uint64_t lanes;                 /* that have some */
        uint8_t bits[UNDEFINED_BYTES];  /* as those of the register: 1: undefined */
    } of[UNDEFINED_REGISTERS];
};

/* NULL: all of the register is defined. Valid until the next change. */
struct undefined_register *undefined_find(struct undefined *undefined, int reg);
/* The bytes of a lane in a register; 0: it is a predicate, in which a lane has one bit. */
size_t undefined_lane_bytes(const struct code *code, int reg);
/* The bytes of a register, for all lanes. */
size_t undefined_register_bytes(const struct code *code, int reg);
/* Lanes that have such bits within the first `bytes` of their part of the register. */
uint64_t undefined_within(const struct undefined_register *of, size_t each, size_t bytes);
/* A register has these undefined bits now. `source` counts if it had none. */
void undefined_put(struct undefined *undefined, int reg, const uint8_t *bits,
                   struct undefined_source source);
/* Lanes of the mask have written a register: all bits of `lanes` are undefined, those of the others defined.
 * `source` as above. */
void undefined_put_lanes(struct undefined *undefined, int reg, uint64_t mask, uint64_t lanes,
                         struct undefined_source source);
/* Lanes have written a register: their bits are defined. */
void undefined_clear(struct undefined *undefined, int reg, uint64_t lanes);

/* For each register of the code, the last step that may read it, or that leads back to where it may be read. NULL: no
 * memory. */
int *undefined_last_reads(const struct code *code, struct machine_run *run);

#endif
