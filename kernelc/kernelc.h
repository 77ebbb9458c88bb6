/* kernelc.h - a small compiler for CUDA kernels: source text in, PTX text out.
 *
 *     text --preprocess/--> tokens --parse/, semantics/--> typed trees (parser.h, tree.h)
 *          --lower/--> instructions in SSA form (code.h), simplified, address spaces settled
 *          --emit/--> PTX
 *
 * It compiles what kernels are written in: C, the parts of C++ that kernels use, and CUDA. Host code is
 * passed over: functions that are neither __device__ nor __global__ are not read, and declarations that
 * only host code could use may name what is not known here.
 *
 * A pure function: it opens no file, prints nothing, ends no process, has no global state, and its time,
 * depth and memory are bounded whatever the bytes are.
 */
#ifndef BANKSCOPE_KERNELC_H
#define BANKSCOPE_KERNELC_H

#include "base/arena.h"

#include <stdint.h>

struct kernelc_source {
    const char *name; /* "kernel.cu"; of a file to include: as it is written after #include */
    const char *text;
    size_t length;
};
struct kernelc_job {
    const struct allocator *allocator;
    struct kernelc_source source;
    /* What somebody else wrote, read behind the source; no text: nothing. It can use what the source
     * declares and rewrite none of it, and may not have asm, #include, kernels, variables of the module
     * or specialisations of templates (part.c). */
    struct kernelc_source part;
    const struct kernelc_source *include; /* the user's own files */
    int includes;
    const char *const *define; /* "N" or "N=4", as after -D */
    int defines;
    /* Instances of kernel templates that are wanted beside those that the source itself names:
     * "scale<float, 4>" */
    const char *const *instance;
    int instances;
    bool apart;          /* products and sums are rounded apart, as by -fmad=false */
    size_t memory_limit; /* bytes; 0: 128 MiB */
    uint64_t work_limit; /* steps of the compiler; 0: 50 million, some seconds */
};

struct kernelc_message {
    const char *file;
    int line, column; /* from 1; 0: of no place */
    const char *text; /* one line */
};
struct kernelc_parameter {
    const char *name, *type; /* type: as C++ says it: "const float *" */
    int offset, size;
    bool is_pointer, is_float;
};
struct kernelc_kernel {
    const char *name;   /* "scale<float, 4>" */
    const char *symbol; /* in PTX: "_Z5scaleIfLi4EEvPT_" */
    int line;
    const struct kernelc_parameter *parameter;
    int parameters;
};
/* An array of shared memory, or a variable of the module: what a name in the PTX is in the source. */
struct kernelc_array {
    const char *symbol;
    const char *name; /* "tile" */
    const char *type; /* of an element: "float" */
    int dimension[4]; /* 0: not known before the launch (extern __shared__ float s[]) */
    int dimensions;   /* 0: a single one */
    uint64_t bytes;
    int line;
    bool shared;
};

enum { KERNELC_MESSAGES = 20 };
struct kernelc_result {
    char *ptx; /* NULL: there are errors. Ended by a null byte. */
    size_t length;
    const struct kernelc_kernel *kernel;
    int kernels;
    const struct kernelc_array *array;
    int arrays;
    struct kernelc_message message[KERNELC_MESSAGES];
    int messages;
    struct arena arena; /* that all of it lies in */
};

/* Compiles. true: result->ptx is there, and no message. false: at least one message says why.
 * The result is the caller's either way, to be freed by kernelc_free. */
bool kernelc_compile(const struct kernelc_job *job, struct kernelc_result *result);
void kernelc_free(struct kernelc_result *result);

#endif
