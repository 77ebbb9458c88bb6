/* wide.cu - accesses of 1, 2, 4, 8 and 16 bytes per lane.
 *
 * Thread t reads element t s. Lanes that read 1 or 2 bytes share a word. 8 and 16 bytes per lane
 * are two and four words. The lanes are served in groups, which takes more passes, but these are
 * not conflicts (doc/bank-model.md).
 */
#include "kernels/kernel.h"

struct wide {
    int w, u, blocks, bytes, s;
};
enum { BYTES_1, BYTES_2, BYTES_4, BYTES_8, BYTES_16 };

STAGES(setup, read)

BARE(wide, {32, 32, ANY, BYTES_1, 1}, {32, 32, ANY, BYTES_2, 1}, {32, 32, ANY, BYTES_4, 1},
     {32, 32, ANY, BYTES_8, 1}, {32, 32, ANY, BYTES_16, 1}, {32, 32, ANY, BYTES_8, 2},
     {32, 32, ANY, BYTES_16, 2})

/* The kernel for elements of one type: how one is made of an int, and an int of it. */
#define WIDE(size, type, MAKE, USE)                                                                \
    if (p.bytes == size) {                                                                         \
        SHARED(type, tile, words);                                                                 \
        for (int k = 0; k < p.s; k++)                                                              \
            FILL(tile, k *p.u + t, MAKE(in[k * p.u + t]));                                         \
        __syncthreads();                                                                           \
        STAGE(read);                                                                               \
        ROUND(0);                                                                                  \
        type got = LOAD(tile, t * p.s);                                                            \
        *to = USE(got);                                                                            \
    }
#define MAKE_CHAR(v) ((signed char)(v))
#define MAKE_SHORT(v) ((short)(v))
#define MAKE_INT(v) (v)
#define MAKE_LONG(v) ((long long)(unsigned)(v) | 5ll << 32)
DEVICE int4 make_wide(int v)
{
    int4 wide = {v, 1, 2, 4};
    return wide;
}
/* The results use all bytes, or a compiler would read fewer. */
#define USE(got) ((int)(got))
#define USE_LONG(got) ((int)((got) ^ (got) >> 32))
#define USE_WIDE(got) ((got).x ^ (got).y ^ (got).z ^ (got).w)

KERNEL(wide)
{
    int t = threadIdx.x, words = p.u * p.s;
    int *to = &out[(int)blockIdx.x * p.u + t];

    WIDE(BYTES_1, signed char, MAKE_CHAR, USE)
    WIDE(BYTES_2, short, MAKE_SHORT, USE)
    WIDE(BYTES_4, int, MAKE_INT, USE)
    WIDE(BYTES_8, long long, MAKE_LONG, USE_LONG)
    WIDE(BYTES_16, int4, make_wide, USE_WIDE)
}

#ifdef SIMT_HOST

static const char *const sizes[] = {"1", "2", "4", "8", "16", NULL};
PARAMS(wide) = {
    PARAM_W(32),
    PARAM_U(32),
    PARAM_BLOCKS,
    PARAM_WORDS(bytes, BYTES_8, sizes, "bytes per lane"),
    PARAM(s, 1, 1, 1024, "stride in elements of that size"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct wide *p = params;
    (void)error;
    shape->in_words = (size_t)p->u * (size_t)p->s;
    shape->shared_bytes = shape->in_words << p->bytes;
    shape->out_words = (size_t)p->u * (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct wide *p = params;
    (void)shape;
    for (int i = 0; i < p->u * p->blocks; i++) {
        int v = in[(size_t)(i % p->u) * (size_t)p->s];
        int expected = p->bytes == BYTES_1    ? (signed char)v
                       : p->bytes == BYTES_2  ? (short)v
                       : p->bytes == BYTES_8  ? v ^ 5
                       : p->bytes == BYTES_16 ? v ^ 7
                                              : v;
        if (out[i] != expected)
            return error_set(error, "wrong result: element %d is %d, not %d", i, out[i], expected);
    }
    return true;
}

ENTRY(wide, .name = "wide", .summary = "1, 2, 4, 8 or 16 bytes per lane",
      .look =
          "With bytes=8, each lane uses two banks, and half of the warp is served at a time: two "
          "passes, no conflict. With a stride of 2 elements, it takes four passes.",
      .source = "questions in forums", .inputs = INPUT_ANY, .shape = shape,
      .prepare = prepare_numbers, .check = check)

#endif
