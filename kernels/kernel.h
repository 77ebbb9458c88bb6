/* kernel.h - what a kernel file includes. (What runs kernels includes catalogue.h.)
 *
 * All kernel files have the same structure: an opening comment that says what to look for; struct NAME
 * of int parameters; STAGES; the KERNEL; then, for the host only (#ifdef SIMT_HOST), the table of
 * parameters, shape, prepare and check, and the ENTRY. One file and one line in catalogue.c make a
 * kernel; the same file runs from outside the tree as `bankscope run FILE.cu`.
 */
#ifndef BANKSCOPE_KERNEL_H
#define BANKSCOPE_KERNEL_H

#include "instrument/simt.h"

#ifdef SIMT_HOST

#include "instrument/cuda.h"
#include "instrument/instrument.h"

/* ---- a catalogue entry ----------------------------------------------------------------------- */

/* A parameter: an int of the kernel's struct. The table, of any length, ends with {0}. */
struct kernel_param {
    const char *name;
    int standard;             /* the default */
    int lowest, highest;      /* allowed range */
    const char *const *words; /* NULL-terminated: the value is the index of one of these words */
    const char *help;
    size_t offset; /* of the int in the struct */
};
/* PARAMS(stride) = {PARAM_W(32), ..., {0}}; the table `params` of struct stride. Its rows name
 * members of the struct, in any order; that of the table is the order in which they are shown. */
#define PARAMS(id)                                                                                 \
    typedef struct id kernel_struct;                                                               \
    static const struct kernel_param params[]
/* The place of an int in the struct. */
#define MEMBER(member) _Generic(((kernel_struct *)0)->member, int : offsetof(kernel_struct, member))
#define PARAM(member, standard, lowest, highest, help)                                             \
    {                                                                                              \
#member, standard, lowest, highest, NULL, help, MEMBER(member)                             \
    }
#define PARAM_WORDS(member, standard, words, help)                                                 \
    {                                                                                              \
#member, standard, 0, sizeof words / sizeof words[0] - 2, words, help, MEMBER(member)      \
    }
/* The parameters that all kernels share. */
#define PARAM_W(standard) PARAM(w, standard, 1, MAX_WARP, "threads per warp, and number of banks")
#define PARAM_U(standard) PARAM(u, standard, 1, MAX_THREADS, "threads per block, a multiple of w")
#define PARAM_BLOCKS PARAM(blocks, 1, 1, 65535, "thread blocks")
/* AGREES(sort_params, w, u, E, n); - after PARAMS: functions that several kernels share take the
 * struct for a struct sort_params, so these members must be where they are there. */
#define AGREES(...) AGREES_EACH(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)(__VA_ARGS__)
#define AGREES_EACH(other, a, b, c, d, e, f, g, n, ...) AGREES_##n
#define AGREES_1(other, member)                                                                    \
    _Static_assert(offsetof(kernel_struct, member) == offsetof(struct other, member),              \
                   #member " is not where struct " #other " has it")
#define AGREES_2(other, member, ...)                                                               \
    AGREES_1(other, member);                                                                       \
    AGREES_1(other, __VA_ARGS__)
#define AGREES_3(other, member, ...)                                                               \
    AGREES_1(other, member);                                                                       \
    AGREES_2(other, __VA_ARGS__)
#define AGREES_4(other, member, ...)                                                               \
    AGREES_1(other, member);                                                                       \
    AGREES_3(other, __VA_ARGS__)
#define AGREES_5(other, member, ...)                                                               \
    AGREES_1(other, member);                                                                       \
    AGREES_4(other, __VA_ARGS__)
#define AGREES_6(other, member, ...)                                                               \
    AGREES_1(other, member);                                                                       \
    AGREES_5(other, __VA_ARGS__)
#define AGREES_7(other, member, ...)                                                               \
    AGREES_1(other, member);                                                                       \
    AGREES_6(other, __VA_ARGS__)

/* What --input names. */
enum input_kind {
    INPUT_RANDOM = 1,
    INPUT_SORTED = 2,
    INPUT_REVERSE = 4,
    INPUT_WORST = 8,
    INPUT_DUPLICATES = 16,
    INPUT_SPLITS = 32,
    INPUT_FILE = 64,
    INPUT_HARDEST = 128,
    INPUT_THEOREM_3 = 256,
    INPUT_FAMILY = 512,
    INPUT_DISTINCT = 1024,
};
enum {
    INPUT_ANY =
        INPUT_RANDOM | INPUT_SORTED | INPUT_REVERSE | INPUT_DISTINCT | INPUT_DUPLICATES | INPUT_FILE
};

struct input {
    enum input_kind kind;
    uint64_t seed;
    const char *name; /* as the trace's header shows it: "random", ... */
    size_t count;     /* the numbers given: of splits and file; of other inputs one or none */
    int *number;
};

/* The size of a launch. threads, blocks, warp, banks come from u, blocks and w before shape is
 * called; shape fills in the rest. */
struct kernel_shape {
    int warp, banks, bank_bytes, threads, blocks;
    size_t shared_bytes;        /* of a block: what its SHARED arrays take */
    size_t in_words, out_words; /* of global memory, in ints */
    int partition;              /* as in trace_header */
};

struct kernel {
    const char *name;    /* "cf-merge" */
    const char *summary; /* one line */
    const char *look;    /* two sentences: what to look for in the viewer */
    const char *source;  /* paper and section */
    const struct kernel_param *params;
    size_t size;        /* of the kernel's struct, in bytes */
    unsigned inputs;    /* bit set of input_kind */
    const char *stages; /* stage_names: "load, search"; an underscore becomes a dash in the trace */
    /* Called instead of reading `stages` when names depend on the parameters: the name of stage i
     * into name[64], or false when there are only i. */
    bool (*stage_name)(const void *params, int i, char name[64]);
    /* p is the kernel's struct. Checks what ranges cannot, and sizes the launch. */
    bool (*shape)(const void *params, struct kernel_shape *shape, struct error *error);
    /* Fills in[shape->in_words]. */
    bool (*prepare)(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error);
    /* Compares out with an independent reference. The error names the first wrong place. */
    bool (*check)(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error);
    /* A kernel of several launches, where all blocks must wait for each other in between: how many.
     * Launch i finds i in the int of its struct at `launch`, MEMBER(launch), and reads what launch
     * i - 1 wrote; so in_words = out_words. All have the same shape; the trace numbers their blocks
     * on. NULL: one launch. */
    int (*launches)(const void *params);
    size_t launch;
    /* Lines to print under the table of `run`, from the totals by stage. NULL: none. */
    void (*report)(const void *params, const struct stats *stats, FILE *file);
    simt_body body;
    const void *cuda;
};

/* ENTRY(cf_merge, .name = "cf-merge", ...): the remaining properties of KERNEL(cf_merge). */
#ifdef BANKSCOPE_USER_KERNEL
#define ENTRY(id, ...) ENTRY_AS(bankscope_kernel, id, __VA_ARGS__)
#else
#define ENTRY(id, ...) ENTRY_AS(kernel_##id, id, __VA_ARGS__)
#endif
#define ENTRY_AS(symbol, id, ...)                                                                  \
    SIMT_CUDA_BUILDS(id)                                                                           \
    extern const struct kernel symbol;                                                             \
    const struct kernel symbol = {.body = id##_body,                                               \
                                  .cuda = SIMT_CUDA(id),                                           \
                                  .stages = stage_names,                                           \
                                  .params = params,                                                \
                                  .size = _Generic((struct id *)0, kernel_struct *                 \
                                                   : sizeof(struct id)),                           \
                                  __VA_ARGS__};
/* Its two builds by nvcc. A user's kernel has only the traced one. */
#ifndef HAVE_CUDA
#define SIMT_CUDA_BUILDS(id)
#define SIMT_CUDA(id) NULL
#elif defined(BANKSCOPE_USER_KERNEL)
#define SIMT_CUDA_BUILDS(id) extern const struct simt_build simt_traced_##id;
#define SIMT_CUDA(id)                                                                              \
    &(const struct simt_cuda)                                                                      \
    {                                                                                              \
        &simt_traced_##id, NULL                                                                    \
    }
#else
#define SIMT_CUDA_BUILDS(id) extern const struct simt_build simt_traced_##id, simt_bare_##id;
#define SIMT_CUDA(id)                                                                              \
    &(const struct simt_cuda)                                                                      \
    {                                                                                              \
        &simt_traced_##id, &simt_bare_##id                                                         \
    }
#endif

/* ---- inputs.c: what goes in, and the reference for what comes out ---------------------------- */

/* The next number of a generator (splitmix64); *state is its seed to begin with. */
uint64_t random_next(uint64_t *state);
/* A number from 0 to below - 1. */
int random_below(uint64_t *state, int below);
/* Fills number[count] as input says (not splits, worst and hardest). */
bool input_numbers(const struct input *input, int *number, size_t count, struct error *error);
/* prepare of the kernels that take any numbers: all of in. */
bool prepare_numbers(const void *params, const struct kernel_shape *shape,
                     const struct input *input, int *in, struct error *error);
/* prepare of the kernels that need numbers >= 0: the sign bit of others is dropped. */
bool prepare_naturals(const void *params, const struct kernel_shape *shape,
                      const struct input *input, int *in, struct error *error);
/* Ascending. */
void sort_numbers(int *number, size_t count);
/* Whether out[count] equals expected; the error names the first place where not. */
bool same_numbers(const int *out, const int *expected, size_t count, struct error *error);
/* check of every sort: each block's n words of out are those of in, sorted. */
bool check_sorted(size_t n, size_t blocks, const int *in, const int *out, struct error *error);
/* The greatest common divisor of |a| and |b|; 0 counts as a multiple of everything. */
int64_t gcd(int64_t a, int64_t b);

#endif
#endif
