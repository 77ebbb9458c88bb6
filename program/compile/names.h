/* names.h - how the source calls what PTX has as symbols and bytes.
 *
 *     PTX: .shared .align 4 .b8 _ZZ9transposePfE4tile[4224];    source: float tile[32][33], in transpose
 *
 * clang tells it when it makes PTX (variables.c reads it out of LLVM's text); of nvcc's PTX clang is asked for
 * the same source, and symbols are compared. The table is a file beside the PTX. Without clang, or of a symbol
 * that it does not know, there is the name that is in the symbol, and the bytes.
 */
#ifndef BANKSCOPE_PROGRAM_COMPILE_NAMES_H
#define BANKSCOPE_PROGRAM_COMPILE_NAMES_H

#include "instrument/instrument.h"

#include <stdint.h>

enum source_space { SOURCE_SHARED, SOURCE_GLOBAL, SOURCE_CONSTANT, SOURCE_SPACES };
struct source_variable {
    char *symbol;   /* as clang's PTX has it */
    char *name;     /* "tile"; "block.x", where the compiler took a struct apart */
    char *function; /* that declares it: "transpose", "sum<float, 32>"; "" for none */
    char *file;     /* that declares it; "": not known */
    char *type;     /* of an element, as traces have it: "float", "struct pair" */
    int line;       /* of the declaration; 0: not known */
    enum source_space space;
    bool dynamic;                  /* extern __shared__: the launch says how many elements */
    uint64_t bytes;                /* of all; 0: dynamic */
    int element;                   /* bytes of an element; 0: not known */
    int dims, dim[MAX_ARRAY_DIMS]; /* the outermost first; of a dynamic one none */
    int members;                   /* of an element that is a struct */
    struct trace_member *member;
    char *offset; /* of a view (ir_value.h), else NULL */
};
/* A function's symbol, and its name as the source has it: "_Z3sumIfLi32EEvPT_", "sum<float, 32>". */
struct source_function {
    char *symbol, *name;
};
struct source_names {
    struct source_variable *variable;
    size_t variables, variable_room;
    struct source_function *function;
    size_t functions, function_room;
    /* Pointers into dynamic shared memory: `symbol` is the kernel's, `name` is "" where only something begins. */
    struct source_variable *view;
    size_t views, view_room;
};

/* Adds what a table has. *names begins as zeros. false: *error says what is wrong with it; what was read before
 * stays. */
bool source_names_read(struct source_names *names, const char *path, struct error *error);
bool source_names_write(const struct source_names *names, const char *path, struct error *error);
void source_names_free(struct source_names *names);

/* The variable of a symbol of any compiler's, or NULL. */
const struct source_variable *source_variable(const struct source_names *names, const char *symbol);
/* The symbol of the views' kernel that a kernel of any compiler's is, or NULL: it has none. */
const char *source_viewer(const struct source_names *names, const char *symbol);
/* The name of a function of any compiler's, or NULL. */
const char *source_function(const struct source_names *names, const char *symbol);
/* Takes out of C++'s name of something what nobody writes: "(anonymous namespace)::", nvcc's "_INTERNAL_...::" for it,
 * and the blank in "> >". Returns the text. */
char *source_tidy(char *text);
/* The last name that is in a symbol: "tile" of "_ZZ9transposePfE4tile"; a symbol of C's is its name. */
void source_last_name(const char *symbol, char *name, size_t room);

#endif
