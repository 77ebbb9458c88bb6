/* emit.h - what writes PTX: emit.c instructions, emit_operand.c their operands, emit_asm.c inline PTX. */
#ifndef BANKSCOPE_KERNELC_EMIT_H
#define BANKSCOPE_KERNELC_EMIT_H

#include "kernelc/code.h"

enum register_class { CLASS_P, CLASS_H, CLASS_R, CLASS_D, CLASS_F, CLASS_E, CLASSES };
struct register_names {
    const char *prefix, *type;
};
extern const struct register_names kc_register_classes[CLASSES];
/* PTX's names of enum code_type. */
extern const char *const kc_code_names[];

/* The PTX that is written, and how far it is. */
struct emission {
    struct lowering *l;
    struct kc *c;
    struct written *out;
    int registers[CLASSES];
    int site;
    int labels;
};

/* The text of an operand: "%r12", "0f3F800000". */
struct operand {
    char text[48];
};

enum register_class kc_class_of(enum code_type type);
/* Gives each value that needs one its register. */
void kc_number_registers(struct emission *e);
/* Whether it is the same bits in the same class of registers: no instruction. */
bool kc_is_alias(const struct code *code);
struct operand kc_register_name(const struct code *code);
struct operand kc_real_text(enum code_type type, double real);
/* "b32"; ".shared" or "". */
const char *kc_bits_of(enum code_type type);
const char *kc_space_suffix(enum space space);
/* A constant as such, anything else by its register. */
struct operand kc_operand_of(const struct code *code);
void kc_put_asm(struct emission *e, const struct code *code);

#endif
