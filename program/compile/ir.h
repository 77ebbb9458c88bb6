/* ir.h - what LLVM's text of a program says of its source: places of instructions, variables and types.
 *
 * clang is asked for this text ("-emit-llvm -S"), because its PTX says less: no call that was inlined, and
 * no types. A node of the source's description is a line, which refers to others by their numbers:
 *
 *     @_ZZ4kPfE4tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4, !dbg !0
 *     !0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
 *     !1 = distinct !DIGlobalVariable(name: "tile", scope: !2, file: !3, line: 11, type: !4, ...)
 *     !7 = !DILocation(line: 14, column: 3, scope: !5, inlinedAt: !8)
 *
 * Versions differ in what else a line has; only fields that are asked for are looked at. The text may be any
 * bytes: a node or a field that is not there is NULL, and chains of nodes are followed a limited way.
 */
#ifndef BANKSCOPE_PROGRAM_COMPILE_IR_H
#define BANKSCOPE_PROGRAM_COMPILE_IR_H

#include "program/compile/compile.h"

#include <stdint.h>

enum { IR_DEEPEST = 64 }; /* nodes that are followed one from another */

/* A part of the text. at NULL: there is none. */
struct ir_text {
    const char *at;
    size_t length;
};
struct ir {
    char *text;
    size_t length;
    struct ir_text *node; /* by number: what stands behind "!7 = " */
    size_t nodes;
};

/* Takes the text, which ends with a null byte and must outlive *ir. false: out of memory, *error says so. */
bool ir_read(struct ir *ir, char *text, size_t length, struct error *error);
void ir_free(struct ir *ir);
/* Copies a part of the text, but for two kinds of lines: `uselistorder void ()* asm "..."`, which LLVM writes and does
 * not read, and the order in which variables are spoken of (`uselistorder ... @llvm.dbg.value`): there may be more of it. */
void ir_put(FILE *file, const char *begin, const char *stop);

bool ir_is(struct ir_text text, const char *word);
/* Whether a node is of a kind: "DILocation". */
bool ir_is_kind(struct ir_text node, const char *kind);
/* A field's value: `!2`, `11`, `"tile"` with its quotes. */
struct ir_text ir_field(struct ir_text node, const char *name);
/* A number; 0 if there is none. */
int64_t ir_number(struct ir_text node, const char *name);
/* The node that a field refers to. */
struct ir_text ir_follow(const struct ir *ir, struct ir_text node, const char *name);
/* A copy of a string's bytes, for the caller to free; "" if there is none. */
char *ir_string(struct ir_text node, const char *name);
/* The node that "!7" refers to. */
struct ir_text ir_node(const struct ir *ir, struct ir_text reference);
/* Goes through what a list has ("!{!1, null, !2}"): *at begins as 0; false: there is no more. */
bool ir_next(const struct ir *ir, struct ir_text list, size_t *at, struct ir_text *node);

/* The function that a scope is in. */
struct ir_text ir_function(const struct ir *ir, struct ir_text scope);
/* The path of a DIFile, for the caller to free; "" if it has none. */
char *ir_path(struct ir_text file);

/* ---- alignments.c: what casts say ---------------------------------------------------------------- */

/* Writes the text of a source as it is written with the alignments that its casts say, as nvcc believes them. false: *error. */
bool alignments_raise(const struct ir *ir, const char *path, struct error *error);

/* ---- copies.c ---------------------------------------------------------------------------------- */

/* Optimised text in which a structure of 16 aligned bytes is copied as a whole: the text itself, or another, and the first
 * is freed; the caller's to free. */
char *copies_whole(char *text, size_t *length);
/* Does so with text as it is written, and with structures of 4 or 8 aligned bytes with smaller members, as uchar4. */
char *copies_small(char *text, size_t *length);

/* ---- places.c: lines and inlined calls -------------------------------------------------------- */

/* Writes a text of LLVM's in which each place has a number for its line (from 1 << 24 on), and no calls that
 * were inlined: what becomes PTX then says which place an instruction is of. `hold`: stores keep their places when
 * LLVM makes one of several. false: *error. */
bool places_number(const struct ir *ir, bool hold, const char *path, struct error *error);
/* clusters.c: gives kernels in the PTX the sizes of clusters that __cluster_dims__ says. */
bool clusters_restore(const struct ir *ir, const char *path, struct error *error);
/* Writes PTX that was made of it, as `path`, with files, lines and inlined calls as nvcc writes them. */
bool places_restore(const struct ir *ir, const char *ptx, const char *path, struct error *error);

/* ---- variables.c: variables and functions ------------------------------------------------------ */

struct source_names;
/* Adds those of the device's code to the names. false: out of memory, *error says so. */
bool variables_read(const struct ir *ir, struct source_names *names, struct error *error);
struct source_variable;
/* Fills in bytes, dimensions, type and members of a variable of the type. */
void variable_describe(const struct ir *ir, struct source_variable *to, struct ir_text type);
/* parameters.c: adds those of all functions, as variables of global memory; of a pointer its elements are described, and it is
 * dynamic. false: out of memory. */
bool parameters_read(const struct ir *ir, struct source_names *names, struct error *error);
/* What a pointer or a reference refers to; at NULL: it is none. */
struct ir_text variable_target(const struct ir *ir, struct ir_text type);

/* ---- views.c: pointers into dynamic shared memory ------------------------------------------------ */

/* Adds the views of kernels, from text that is not optimised. false: out of memory, *error says so. */
bool views_read(const struct ir *ir, struct source_names *names, struct error *error);
/* Whether there may be any. */
bool views_wanted(const struct ir *ir);

#endif
