/* ptx.h - what a text of PTX says: modules, variables, functions and their instructions.
 *
 * lex.c cuts the text into tokens, module.c reads what stands outside of functions, parse.c their
 * bodies. Nothing is interpreted yet: an instruction is its words and operands. flow.c and join.c work
 * on this form; decode.c turns it into steps that can be executed (step.h).
 *
 * All of it lies in the module's arena and refers to the texts, which outlive it.
 */
#ifndef BANKSCOPE_MACHINE_PTX_H
#define BANKSCOPE_MACHINE_PTX_H

#include "base/arena.h"
#include "machine/machine.h"

/* ---- types ----------------------------------------------------------------------------------- */

enum ptx_type {
    PTX_NONE,
    PTX_PRED,
    PTX_B8,
    PTX_U8,
    PTX_S8,
    PTX_B16,
    PTX_U16,
    PTX_S16,
    PTX_F16,
    PTX_BF16,
    PTX_B32,
    PTX_U32,
    PTX_S32,
    PTX_F32,
    PTX_F16X2,
    PTX_BF16X2,
    PTX_TF32,
    PTX_B64,
    PTX_U64,
    PTX_S64,
    PTX_F64,
    PTX_B128,
    PTX_TEXREF,
    PTX_SURFREF,
    PTX_SAMPLERREF,
    PTX_TYPES
};
/* The type that a word without its point names ("u32"), or PTX_NONE. */
enum ptx_type ptx_type_named(struct slice word);
const char *ptx_type_name(enum ptx_type type);
/* Bytes in memory; 0 for PTX_NONE and PTX_PRED, 8 for the references. */
int ptx_type_bytes(enum ptx_type type);
bool ptx_type_is_signed(enum ptx_type type);
bool ptx_type_is_float(enum ptx_type type);

enum ptx_space {
    PTX_GENERIC,
    PTX_GLOBAL,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_CONST,
    PTX_PARAM,
};

/* ---- lex.c: tokens --------------------------------------------------------------------------- */

enum ptx_token_kind {
    PTX_END,
    PTX_WORD,   /* add.s32, %r1, $L__BB0_2, .reg: letters, digits, _ $ % . and :: */
    PTX_NUMBER, /* 12, 0x1f, 0f3F800000, 1.5 */
    PTX_STRING, /* with its quotes */
    PTX_SIGN,   /* any other character */
    PTX_MARK,   /* a comment that begins with "bankscope", without the slashes */
};
struct ptx_token {
    enum ptx_token_kind kind;
    struct slice text;
};
struct ptx_lexer {
    const char *at, *end;
    struct ptx_token now; /* the token that is looked at */
    int line;             /* of it, from 1 */
};
void ptx_lexer_begin(struct ptx_lexer *lexer, const char *text, size_t length, int line);
/* Goes to the next token. */
void ptx_next(struct ptx_lexer *lexer);
/* The token after this one. */
struct ptx_token ptx_peek(const struct ptx_lexer *lexer);
/* Whether this token is that word or sign. */
bool ptx_at(const struct ptx_lexer *lexer, const char *text);
/* Goes past that word or sign, if it is there. */
bool ptx_accept(struct ptx_lexer *lexer, const char *text);
/* The value of a number's text as bits: of a float constant in the given type (PTX_F32 or PTX_F64),
 * otherwise of an integer. minus: it has a minus before it. */
bool ptx_number(struct slice text, enum ptx_type type, bool minus, uint64_t *value);

/* ---- module.c: what stands outside of functions ---------------------------------------------- */

struct ptx_unit;
/* A variable, a parameter, or a function's local variable. */
struct ptx_variable {
    struct slice name;
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align;
    uint64_t bytes;
    bool external, open; /* open: `name[]`, dynamic shared memory */
    bool pointer;        /* a parameter that is told to be one */
    uint64_t address;    /* of global and const: where it was placed; of others: see decode.c */
    uint32_t offset;     /* of a parameter: in the buffer of an entry */
    struct ptx_unit *unit;
    int order; /* of the module's shared variables: as they are declared */
    struct ptx_initialiser *initialiser;
};
/* Bits of a variable that are known when all texts are: a value, or a symbol's address. */
struct ptx_initialiser {
    struct ptx_initialiser *next;
    uint64_t at;
    int bytes;
    struct slice symbol; /* length 0: none */
    uint64_t value;      /* or added to the symbol's address */
    int shift;           /* of the symbol's address, to the right */
};

struct ptx_function {
    struct slice name;
    struct ptx_unit *unit;
    bool entry, external;
    struct ptx_variable *parameter, *result;
    int parameters, results;
    uint32_t parameter_bytes; /* of an entry */
    uint32_t required[3], most_threads[3];
    uint32_t cluster[3], most_cluster; /* .reqnctapercluster, .maxclusterrank; 0: not told */
    const char *body, *body_end;       /* between the braces; NULL: none */
    int body_line;
    struct ptx_body *parsed; /* ptx_parse_body */
    int number;              /* in the module, from 0: what a pointer to it is made of */
};

/* A .loc: where an instruction comes from. */
struct ptx_site {
    struct slice file, function;
    int line, column, inlined_at; /* index of a site, -1: none */
    int depth;                    /* how many calls it was inlined by */
};

struct ptx_unit {
    struct ptx_unit *next;
    const char *name; /* of the text, for messages */
    struct slice text;
    int version, target;  /* 8.5: 85; sm_90: 90 */
    bool from_llvm;       /* made by LLVM, not by nvcc */
    struct names symbols; /* of functions and variables: struct ptx_symbol */
    struct names files;   /* by number: struct slice */
    struct names strings; /* $L__info_string0: function names of .loc: struct slice */
};
struct ptx_symbol {
    struct ptx_function *function; /* one of the two */
    struct ptx_variable *variable;
};

/* A loop of which several turns are taken together (unroll.h): the line of the text that its branch is in. */
struct ptx_unrolled {
    struct ptx_unrolled *next;
    struct slice function;
    int line;
    bool first_apart; /* a first turn for which the test fails has a copy of its own */
};

struct ptx_module {
    struct arena arena;
    struct ptx_unit *unit;
    struct names exported; /* of all units: struct ptx_symbol */
    struct ptx_function **function;
    int functions, function_room;
    struct ptx_variable **variable; /* global, const and shared ones */
    int variables, variable_room;
    struct ptx_site *site;
    int sites, site_room;
    struct names site_numbers; /* "1 20 5 -1": index + 1 */
    struct names latest_sites; /* "1 20 5": the index of the site that was last read */
    struct ptx_unrolled *unrolled;
    bool own_lines; /* machine_own_lines */
};
/* Reads a text into the module. */
bool ptx_read(struct ptx_module *module, const struct machine_text *text, struct error *error);
/* Gives external symbols what another unit defines. */
bool ptx_link(struct ptx_module *module, struct error *error);
/* The symbol of that name, as this unit sees it, or NULL. */
struct ptx_symbol *ptx_symbol(const struct ptx_module *module, const struct ptx_unit *unit,
                              struct slice name);
/* The number of a place, made if it is new; -1: no memory. */
int ptx_site_number(struct ptx_module *module, struct ptx_site site);
/* A declaration after its space (.global, .param, ...): reads up to its name and dimensions. */
bool ptx_read_variable(struct ptx_unit *unit, struct ptx_lexer *lexer,
                       struct ptx_variable *variable, struct error *error);
/* A list of parameters in parentheses, which lie in a buffer one behind the other. */
bool ptx_read_parameters(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                         struct ptx_variable **variable, int *count, struct error *error);
/* .file and .loc are allowed everywhere. file: past `.file`; */
bool ptx_read_file(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                   struct error *error);
/* past `.loc`: *site is the number of the place */
bool ptx_read_loc(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                  int *site, struct error *error);
/* .section .debug_str { ... }: names of functions; of others nothing is wanted. */
bool ptx_read_section(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                      struct error *error);
/* A whole number, with a sign or without; module.c. */
bool ptx_read_number(const struct ptx_unit *unit, struct ptx_lexer *lexer, uint64_t *value,
                     struct error *error);
/* "app.ptx:12: WHAT, at 'add.s32'". Returns false. */
bool ptx_wrong(const struct ptx_unit *unit, const struct ptx_lexer *lexer, struct error *error,
               const char *what);

/* ---- parse.c: bodies of functions ------------------------------------------------------------ */

struct ptx_register {
    struct slice name; /* as it is declared: "%r" of "%r<12>" */
    int number;        /* 7 of %r7; -1: the name is all */
    enum ptx_type type;
};

enum ptx_operand_kind {
    PTX_NOTHING,  /* _ */
    PTX_REG,      /* %r1, !%p1 */
    PTX_CONSTANT, /* a number */
    PTX_VARIABLE, /* name, name+4 */
    PTX_FUNCTION,
    PTX_NAME,    /* a special register, a label, a prototype */
    PTX_ADDRESS, /* [ base + offset ], base: element[0]; further elements: coordinates */
    PTX_VECTOR,  /* { a, b } */
    PTX_LIST,    /* ( a, b ): of a call */
};
struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated, minus; /* !a, -a */
    int reg;             /* index of a register */
    struct slice text;   /* of a constant, a name */
    struct ptx_variable *variable;
    struct ptx_function *function;
    int64_t offset; /* of an address or variable */
    int scope;      /* where a name stands: label names are local to their braces */
    struct ptx_operand *element;
    int elements;
};

struct ptx_prototype {
    struct ptx_variable *parameter, *result;
    int parameters, results;
};

enum { PTX_WORDS = 16 };
struct ptx_instruction {
    struct slice opcode;          /* "add" */
    struct slice word[PTX_WORDS]; /* "rn", "f32" */
    int words;
    int guard; /* register of @%p1; -1: none */
    bool guard_negated;
    bool labelled; /* a label stands before it that something may jump to */
    bool second;   /* its first operand is d|p: the second result is operand 1 */
    struct ptx_operand *operand;
    int operands;
    int site;      /* number of a place, -1: none */
    int line;      /* of the text */
    uint32_t used; /* a bit for each byte of what it loads that matters, by .pragma; 0: not said */
    struct slice text; /* from its first word to before the semicolon */
};
bool ptx_has(const struct ptx_instruction *instruction, const char *word);
/* The whole number that an operand is; false: it is none. */
bool ptx_constant(const struct ptx_operand *operand, int64_t *value);

/* A function's body. Labels are indices of instructions: the one behind the label. */
struct ptx_body {
    struct ptx_instruction *instruction;
    int instructions, instruction_room;
    struct ptx_register *reg;
    int regs, reg_room;
    struct ptx_variable **local; /* .local and .param of the body */
    int locals, local_room;
    struct ptx_scope *scope;
    int scopes, scope_room;
    const struct flow *flow; /* flow_arrange: the order in which they are laid out */
    bool unrolled;           /* unroll_body has been here */
};
/* What is declared between two braces. */
struct ptx_scope {
    int outer;           /* -1: the body itself */
    struct names symbol; /* of registers and variables: struct ptx_local */
    struct names label;  /* struct ptx_label: the index of an instruction */
    struct names prototype, targets;
};
struct ptx_local {
    int reg; /* -1: it is a variable */
    struct ptx_variable *variable;
};
struct ptx_label {
    int index;
};
/* What a name means where the operand stands, or NULL. */
struct ptx_label *ptx_label(const struct ptx_body *body, const struct ptx_operand *operand);
struct ptx_targets *ptx_targets(const struct ptx_body *body, const struct ptx_operand *operand);
/* The labels of a .branchtargets. */
struct ptx_targets {
    struct ptx_operand *label;
    int labels;
};
/* Reads the body of a function, once. */
bool ptx_parse_body(struct ptx_module *module, struct ptx_function *function, struct error *error);

#endif
