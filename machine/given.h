/* given.h - a launch without host code: what --call and --array say, as the parameters of a kernel.
 *
 *     float in[128 * 128] = random               an array (given_array_read)
 *     transpose<<<dim3(4, 4), dim3(32, 8)>>>(out, in, 128)
 *                                                 a launch (given_call_read) and its arguments (given_bind)
 *
 *     ARRAY      TYPE NAME[COUNT]... [= CONTENTS]
 *     CONTENTS   random (floats from [0, 1), whole numbers below 100), random BELOW, index, reverse, zero, a
 *                number, file=PATH; none: not written, and to read it is a fault
 *     CALL       KERNEL<<<GRID, BLOCK[, BYTES[, STREAM]]>>>(ARGUMENT, ...)
 *     GRID       a number, dim3(x, y, z) or {x, y, z}
 *     ARGUMENT   a number; nullptr; ARRAY, ARRAY + elements; TYPE(number); for a struct its members in order,
 *                each with its type: {int(3), 2.5f, out}
 *
 * Numbers are C's, with + - * / % << >> & ^ | ~ and parentheses. Types are those of CUDA (given_type).
 *
 * Files are not read here: the caller hands over what is in them. Nothing here allocates memory.
 */
#ifndef BANKSCOPE_MACHINE_GIVEN_H
#define BANKSCOPE_MACHINE_GIVEN_H

#include "machine/machine.h"

enum { GIVEN_NAME = 128 };
#define GIVEN_MOST (UINT64_C(4) << 30) /* bytes that a program's array may have */

/* A piece of a text that outlives it. */
struct given_text {
    const char *at;
    int length;
};
#define GIVEN_TEXT(text) (text).length < 80 ? (text).length : 80, (text).at /* for "%.*s" */

/* ---- given_value.c: types and numbers --------------------------------------------------------------- */

enum given_format {
    GIVEN_BYTES, /* a struct: no numbers */
    GIVEN_SIGNED,
    GIVEN_UNSIGNED,
    GIVEN_F64,
    GIVEN_F32,
    GIVEN_F16,
    GIVEN_BF16,
    GIVEN_E4M3,
    GIVEN_E5M2
};
struct given_type {
    enum given_format format;
    uint32_t part; /* bytes of a part; of a struct all */
    int parts;     /* float4: 4 */
    uint32_t bytes;
};
/* A number as C has it. */
struct given_number {
    bool real;
    double value;  /* of a real one */
    int64_t whole; /* of another; above 2^63 as its bits */
    int bytes;     /* of its type in C: 4, 8 */
};
/* What only the compiler of the source knows: the number that an expression is (N / TILE), or a type. */
struct given_known {
    struct given_text text;
    bool is_type;
    struct given_number number;
    struct given_type type;
};
struct given_names {
    struct given_known *row;
    int rows, room;
    /* What is not known is added, as a number or a type of no meaning, while there is room. */
    bool collect;
};
/* A row as one word, and back. false: it is none. */
void given_known_print(const struct given_known *known, char *text, size_t room);
bool given_known_read(const char *text, struct given_known *known);
/* A type by its name in C, CUDA or PTX: "const unsigned int", "float4", "__half", "bf16", "e4m3", "u64",
 * "struct(24)". false: there is none of that name. */
bool given_type(struct given_names *names, struct given_text text, struct given_type *type);
bool given_number(struct given_names *names, struct given_text text, struct given_number *number,
                  struct error *error);
/* Writes a number as a part of that type: whole ones cut, floats rounded. */
void given_put(const struct given_type *type, const struct given_number *number, uint8_t *to);
/* Writes a part of that type as text, with all digits that tell it from others; room: 32 at least. */
void given_print(const struct given_type *type, const uint8_t *from, char *text, size_t room);
/* Without blanks around it. */
struct given_text given_trim(const char *from, const char *to);
bool given_is(struct given_text text, const char *word);
/* Whether all of it is one name of C's. */
bool given_is_name(struct given_text text);
/* The identifier that the text ends with; empty: there is none. */
struct given_text given_last_name(struct given_text text);
/* The text up to the first comma outside of brackets; *from moves behind it. false: there is none left. */
bool given_next(const char **from, const char *end, struct given_text *piece);

/* ---- given.c: arrays, launches; given_bind.c: arguments ------------------------------------------------------------------------- */

enum given_contents {
    GIVEN_UNWRITTEN,
    GIVEN_RANDOM,
    GIVEN_INDEX,
    GIVEN_REVERSE,
    GIVEN_NUMBER,
    GIVEN_FILE
};
struct given_array {
    struct given_text type_text, name_text, dims; /* dims: "[4][COLUMNS]" */
    char name[GIVEN_NAME];
    struct given_type type;
    uint64_t count; /* elements of all dimensions */
    uint64_t row; /* elements that the pointer goes on by for each that is added: those of a row */
    enum given_contents contents;
    struct given_number number; /* random: what they are below, 0: not told */
    struct given_text file;     /* its path */
    struct given_text to;       /* the path that it is written to in the end; empty: none */
    uint64_t address;           /* the caller's to set, before arguments are bound */
};
/* Takes the text apart without knowing any name: type_text, name, dims and contents. false: it is no array. */
bool given_array_split(const char *text, struct given_array *array, struct error *error);
/* Reads an array with its type and count. most: bytes that it may have. false: *error. */
bool given_array_read(const char *text, struct given_names *names, uint64_t most,
                      struct given_array *array, struct error *error);
/* The first dimension of "[4][COLUMNS]", which goes on without it. false: there is none. */
bool given_dimension(struct given_text *dims, struct given_text *count);
uint64_t given_array_bytes(const struct given_array *array);
/* Fills in elements, for contents that are neither of a file nor unwritten; a struct's only with zero. */
void given_array_fill(const struct given_array *array, uint8_t *bytes);
/* Whether a file has the elements themselves: its name ends in .bin or .raw. */
bool given_array_is_raw(struct given_text path);
/* Fills in elements from the text of the array's file: numbers between blanks or commas; or, where the path ends in
 * .bin or .raw, the elements themselves. */
bool given_array_fill_file(const struct given_array *array, const char *text, size_t length,
                           uint8_t *bytes, struct error *error);

struct given_call {
    struct given_text kernel; /* with a template's arguments: "transpose<float>" */
    struct given_text grid_text, block_text, shared_text; /* the last may be empty */
    struct given_text arguments;                          /* between the parentheses */
    uint32_t grid[3], block[3], shared;
};
/* Takes a launch apart without knowing any name. false: it is no launch. */
bool given_call_split(const char *text, struct given_call *call, struct error *error);
/* Reads a launch with its sizes, which are within what CUDA allows. false: *error. */
bool given_call_read(const char *text, struct given_names *names, struct given_call *call,
                     struct error *error);
/* Puts the arguments where the kernel has its parameters: parameter_bytes, all zero before. Pointers that the
 * call does not give at the end of Triton's kernels are null. declared: each parameter as the source has it ("float
 * *out"), or NULL. */
struct given_binding {
    const struct given_call *call;
    const struct machine_kernel_facts *facts;
    const struct given_array *array;
    int arrays;
    const char *const *declared;
    struct given_names *names;
};
bool given_bind(const struct given_binding *binding, uint8_t *parameters, struct error *error);
/* Notes what nobody knows in arguments: names->collect. */
void given_collect(struct given_names *names, struct given_text arguments,
                   const struct given_array *array, int arrays);
/* Whether the kernel can be launched in that shape. */
bool given_check_shape(const struct given_call *call, const struct machine_kernel_facts *facts,
                       struct error *error);

#endif
