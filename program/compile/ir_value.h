/* ir_value.h - what a value in LLVM's text is when a kernel is launched, as a postfix expression.
 *
 *     getelementptr float, float* %buf, i64 (sext i32 %n)     "s p2.0.4 sext32 4 mul64 add64"
 *
 * Words, which push a number of 64 bits or take those that they need from the stack:
 *
 *     12, -4         a number                       s          where the dynamic shared memory begins
 *     p2.8.4         of parameter 2 (from 0) the 4 bytes from byte 8 on, without a sign
 *     nx ny nz       size of the block              gx gy gz   size of the grid
 *     add32 mul64 sub shl lshr ashr and or xor udiv urem sdiv srem, trunc, sext: of so many bits; results are cut
 *                    to them, but sext32's, which has 64
 */
#ifndef BANKSCOPE_PROGRAM_COMPILE_IR_VALUE_H
#define BANKSCOPE_PROGRAM_COMPILE_IR_VALUE_H

#include "program/compile/ir.h"

/* ---- ir_code.c: the text of code ------------------------------------------------------------------ */

bool ir_begins(struct ir_text text, const char *word);
/* Without its first bytes, and blanks behind them. */
struct ir_text ir_from(struct ir_text text, size_t at);
/* So many bytes of it, without blanks at their end. */
struct ir_text ir_until(struct ir_text text, size_t at);
/* How deep in brackets one is behind that letter. */
int ir_depth_behind(int depth, char c);
/* Bytes of the word that begins there, up to a blank outside of brackets. */
size_t ir_word_length(struct ir_text text, size_t at);
/* The index-th of the parts that commas separate, outside of brackets; at NULL: there are fewer. */
struct ir_text ir_part(struct ir_text list, int index);
/* An operand without its type and attributes: "%5", "getelementptr inbounds (...)". */
struct ir_text ir_operand(struct ir_text operand);

/* A function's definition. */
struct ir_function {
    struct ir_text symbol, parameters; /* "k" of @k, what is between the parentheses */
    struct ir_text body;               /* lines between the braces */
    struct ir_text line;               /* the first, with its convention of calls */
};
/* The functions of a text, for the caller to free. false: out of memory, *error says so. */
bool ir_functions(const struct ir *ir, struct ir_function **list, size_t *count,
                  struct error *error);

/* The next line of a body, without blanks before it. *at: where it begins, goes behind it. false: there is no more. */
bool ir_next_line(struct ir_text body, const char **at, struct ir_text *line, bool *label);
/* ", !dbg !7", which the line has; "" if it has no place. */
struct ir_text ir_place(struct ir_text line);
/* What "%5" is made by: the text behind "%5 = ". *at: where that stands. */
struct ir_text ir_definition(const struct ir_function *function, struct ir_text name,
                             const char **at);
/* The next thing that is stored in "%5" by the function: the operand, in *stored. *from begins as NULL, and goes behind
 * it. false: no more. */
bool ir_next_store(const struct ir_function *function, struct ir_text variable, const char **from,
                   struct ir_text *stored);
/* What a variable has at a place: what was stored last in the same straight code, or the only thing that the function
 * stores in it. at NULL: neither. *where: where that was. */
struct ir_text ir_stored_at(const struct ir_function *function, struct ir_text variable,
                            const char *place, const char **where);

/* ---- ir_value.c: what it computes ------------------------------------------------------------------ */

enum { VALUE_TEXT = 400 /* bytes of an expression, the null included */ };

enum value_kind {
    VALUE_LAUNCH, /* the launch says it: there is an expression */
    VALUE_MOVES,  /* threads or moments differ in it */
    VALUE_UNKNOWN
};
struct ir_value {
    enum value_kind kind;
    bool shared; /* dynamic shared memory is in it */
    char text[VALUE_TEXT];
};

struct ir_values {
    const struct ir *ir;
    const struct ir_function *function; /* of all */
    size_t functions;
    int left; /* values that are still looked at, of all */
};
/* The value of "float* %5" or "%5", which stands at `at` in the function's body. */
void ir_value(struct ir_values *values, const struct ir_function *function, struct ir_text operand,
              const char *at, struct ir_value *value);
#endif
