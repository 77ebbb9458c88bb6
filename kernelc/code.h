/* code.h - instructions in SSA form: what trees are lowered to, and PTX is printed from.
 *
 * A value is made by one instruction. Variables of threads are slots, which blocks read and write while trees
 * are lowered; where paths meet, phis are made of them (Braun et al., "Simple and Efficient Construction of
 * Static Single Assignment Form", 2013), filled in when all ways to a block are known.
 */
#ifndef BANKSCOPE_KERNELC_CODE_H
#define BANKSCOPE_KERNELC_CODE_H

#include "kernelc/parser.h"

enum code_type {
    CODE_NONE,
    CODE_PRED,
    CODE_U8,
    CODE_S8,
    CODE_U16,
    CODE_S16,
    CODE_U32,
    CODE_S32,
    CODE_U64,
    CODE_S64,
    CODE_F16,
    CODE_BF16,
    CODE_F32,
    CODE_F64,
};
enum code_op {
    IR_CONST, /* integer or real */
    IR_SPECIAL,
    IR_SYMBOL, /* generic address of a symbol in `space`; with `narrow` its address there */
    IR_PARAM,  /* a parameter, or a part of it at `offset` */
    IR_PHI,
    IR_ADD, /* of pointers: IR_PTR */
    IR_PTR, /* pointer a and 64-bit offset b */
    IR_SUB,
    IR_MUL,
    IR_WIDE, /* mul.wide of 32-bit operands */
    IR_DIV,
    IR_REM,
    IR_AND,
    IR_OR,
    IR_XOR,
    IR_SHL,
    IR_SHR,
    IR_NEG,
    IR_NOT,
    IR_SET,     /* compares, by sign, operands of type `from` */
    IR_SELECT,  /* c ? a : b */
    IR_CONVERT, /* from type `from` */
    IR_MOVE,    /* the same bits as another type */
    IR_FMA,
    IR_LOAD,
    IR_STORE,
    IR_RESULT, /* the index-th of a's */
    IR_ASM,
    IR_CALL,
    IR_JUMP,
    IR_BRANCH, /* a: condition */
    IR_RETURN,
    IR_TRAP,
};
struct code {
    enum code_op op;
    enum code_type type, from;
    int sign;
    struct code *a, *b, *c;
    int64_t integer; /* of a constant; offset of an access */
    double real;
    /* A phi's operands, in order of the block's predecessors, or those of asm and calls. */
    struct code **list;
    int count, results;
    enum code_type *result_type;
    struct block *block;
    struct code *next, *before;
    struct code *same; /* it was found to be that one */
    struct code *twin; /* the same address within its space */
    const char *text;  /* symbol, PTX */
    enum space space;
    int index, slot, number;
    int lanes; /* of an access: elements, 1, 2, 4 */
    int site;
    bool is_volatile, live, nsw, narrow, is_pointer;
    struct node *node;
    struct function *function;
    uint64_t used_results; /* a bit for each of an asm's that is used */
};
struct block {
    struct code *first, *last;
    struct block **before; /* predecessors */
    int before_count, before_room;
    struct block *to[2];
    struct block *next; /* in layout */
    int number, order;
    bool sealed, ended, reached;
    struct block *dominator;
    int looked;           /* at how many of `to`, while they are put in order */
    struct code *waiting; /* phis without operands yet, by twin */
};

struct site {
    struct place place;
    int inlined_at; /* -1 */
    bool seen;      /* a .loc of it was printed */
};

/* Where an object lies: in slots, or in memory. */
struct storage {
    struct type *type;
    struct leaf *leaf;
    int leaves, slot;        /* first of the slots */
    struct location **alias; /* what leaves that are references refer to */
    bool *needs_memory;      /* of the variable or node that it is of */
};
struct location {
    struct storage *storage; /* NULL: in memory */
    uint64_t offset;
    struct code *address;
    struct type *type;
    struct field *bits;
};

struct lowering {
    struct kc *c;
    struct function *function;
    struct block *first, *last, *now, *entry;
    int blocks, slots, codes;
    enum code_type *slot_type;
    int slot_room;
    struct definition {
        uint64_t key;
        struct code *value;
    } * definition;
    int definitions, definition_room;
    struct block *return_block, *break_block, *continue_block;
    struct location *result;       /* where `return x` puts x */
    struct location *result_place; /* of a function that returns a reference */
    struct code *waiting;          /* phis of sealed blocks without operands yet, by twin */
    struct label {
        struct label *next;
        struct word *word;
        const void *owner; /* the end of the function that it is of */
        struct block *block;
    } * label;
    struct site *site;
    int sites, site_room, at_site, inlined;
    bool in_part; /* the body that is lowered stands in the job's part */
    int number;   /* of the function in the module */
    uint64_t local_bytes;
    uint32_t local_align;
    bool again;       /* a variable must lie in memory after all: lower anew */
    bool is_function; /* a .func, not an .entry */
    int inline_depth;
    struct code_cache {
        struct code_cache *next;
        const void *key;
        struct code *code;
        int64_t extra;
    } * cache;
    /* of the whole module */
    struct module *module;
};

/* Text that grows. */
struct written {
    char *at;
    int length, room;
};
void kc_put(struct kc *c, struct written *output, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct symbol_made {
    struct symbol_made *next;
    const void *key;
    const char *name;
};
struct module {
    struct written declarations, functions, bodies;
    struct symbol_made *made[256];
    struct function *called, *last_called; /* that are to be functions of PTX */
    int numbers;
    const char **extern_text;
    int externs, extern_room, strings;
    int kernel_room, array_room;
    struct kernelc_kernel *kernel;
    struct kernelc_array *array;
};

/* code.c */
struct block *kc_new_block(struct lowering *l);
void kc_begin(struct lowering *l, struct block *block); /* lays it out and goes on there */
void kc_seal(struct lowering *l, struct block *block);
struct code *kc_add(struct lowering *l, enum code_op op, enum code_type type, struct code *a,
                    struct code *b);
void kc_insert_behind(struct code *at, struct code *code);
struct code *kc_const(struct lowering *l, enum code_type type, int64_t integer);
struct code *kc_real(struct lowering *l, enum code_type type, double real);
void kc_jump(struct lowering *l, struct block *to);
void kc_branch(struct lowering *l, struct code *condition, struct block *yes, struct block *no);
int kc_new_slot(struct lowering *l, enum code_type type);
void kc_write(struct lowering *l, int slot, struct code *value);
struct code *kc_read(struct lowering *l, int slot);
struct code *kc_same(struct code *code);
bool kc_is_constant(const struct code *code, int64_t *value);
int kc_bytes(enum code_type type);
bool kc_is_signed_code(enum code_type type);
bool kc_is_float_code(enum code_type type);
enum code_type kc_code_type(const struct type *type);
enum code_type kc_register_type(enum code_type type); /* 8 and 16 bits are kept as 32 */
bool kc_has_effect(const struct code *code);
/* fold.c: a code that is simpler, or NULL */
struct code *kc_fold(struct lowering *l, struct code *code);
struct code *kc_fold_set(struct lowering *l, struct code *code); /* once its sign is known */
void kc_optimise(struct lowering *l);
void kc_remove_dead(struct lowering *l);
/* spaces.c */
void kc_spaces(struct lowering *l);
/* lower.c, lower_value.c, lower_place.c, lower_call.c */
void kc_lower_statement(struct lowering *l, struct node *node);
void kc_lower_function(struct lowering *l);
struct code *kc_lower_value(struct lowering *l, struct node *node);
struct code *kc_to_bool(struct lowering *l, struct code *value); /* whether it is not zero */
struct location kc_place(struct lowering *l, struct node *node);
void kc_initialise(struct lowering *l, struct location to, struct node *node);
/* Does x = y, x += y or ++x of a scalar: where x is. */
struct location kc_changed_place(struct lowering *l, struct node *node);
struct code *kc_load(struct lowering *l, struct location from);
/* What is left of a value once it is in a bit field. */
struct code *kc_as_field(struct lowering *l, struct code *value, const struct field *field);
void kc_store(struct lowering *l, struct location to, struct code *value);
void kc_copy(struct lowering *l, struct location to, struct location from);
struct code *kc_address_of(struct lowering *l, struct location location);
struct location kc_new_object(struct lowering *l, struct type *type, bool *needs_memory,
                              bool in_memory);
struct location kc_memory(struct code *address, struct type *type);
struct code *kc_convert_code(struct lowering *l, struct code *value, const struct type *from,
                             const struct type *to);
struct location kc_lower_call(struct lowering *l, struct node *node, struct location *to);
void kc_lower_make(struct lowering *l, struct location to, struct node *node);
void kc_lower_asm(struct lowering *l, struct node *node);
struct code *kc_arithmetic(struct lowering *l, int sign, const struct type *type, struct code *a,
                           struct code *b);
void kc_set_site(struct lowering *l, struct place place);
/* The body of a function begins: whether it is the part's decides whose accesses follow. */
void kc_enter_body(struct lowering *l, const struct function *function);
struct code *kc_symbol(struct lowering *l, const char *name, enum space space);
struct code *kc_pointer_sum(struct lowering *l, struct code *pointer, struct code *offset);
/* module.c: symbols and functions of the whole */
const char *kc_variable_symbol(struct kc *c, struct module *module, struct variable *variable,
                               const struct function *kernel);
const char *kc_string_symbol(struct kc *c, struct module *module, struct slice text);
const char *kc_function_symbol(struct kc *c, struct module *module, struct function *function);
void kc_call_later(struct module *module, struct function *function);
void kc_extern(struct kc *c, struct module *module, const char *declaration);
/* emit.c */
void kc_emit(struct lowering *l, struct written *output);
/* generate.c */
void kc_generate(struct kc *c);

#endif
