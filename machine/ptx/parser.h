/* parser.h - what reads the body of a function: parse.c reads statements, parse_declare.c what they declare. */
#ifndef BANKSCOPE_MACHINE_PARSER_H
#define BANKSCOPE_MACHINE_PARSER_H

#include "machine/ptx/ptx.h"

struct parser {
    struct ptx_module *module;
    struct ptx_unit *unit;
    struct ptx_function *function;
    struct ptx_body *body;
    struct ptx_lexer lexer;
    struct error *error;
    int scope;     /* index of the innermost one */
    int depth;     /* of braces */
    int site;      /* the last .loc */
    uint32_t used; /* what a .pragma says of the next instruction */
};

/* Out of memory, and what is wrong, where the parser stands ("WHAT at 'word'"). Both set the parser's error, unless
 * there is one, and return false. */
bool parser_refused(struct parser *parser);
bool parser_wrong(struct parser *parser, const char *what);

/* Reads this sign; anything else is an error. */
bool parser_expect(struct parser *parser, const char *sign);

/* ---- parse_declare.c: these return false with the parser's error set --------------------------- */

/* A scope within the present one. */
bool parser_open_scope(struct parser *parser);

/* Gives a name in the present scope to a register, or to a variable (reg -1). */
bool parser_declare(struct parser *parser, struct slice name, int reg,
                    struct ptx_variable *variable);

/* What the name stands for in the present scope or those around it; NULL: nothing. */
const struct ptx_local *parser_symbol(const struct parser *parser, struct slice name);

/* .reg .b32 %r<12>, %x; from the type on. */
bool parser_registers(struct parser *parser);

/* .local .align 8 .b8 __local_depot0[64]; .param .b64 param0; .shared .b8 s[32]; after the space. */
bool parser_variables(struct parser *parser, enum ptx_space space);

/* .callprototype (.param .b32 _) _ (.param .b64 _); name: the label before it. */
bool parser_prototype(struct parser *parser, struct slice name);

#endif
