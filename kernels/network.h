/* network.h - sorting networks in shared memory: what odd-even-sort and batcher-sort share.
 *
 * A network sorts the n words of a block in steps. The comparators of a step touch different words,
 * and each step is a stage. Thread t takes comparators t, t + u, ... of a step, one in each round: it loads
 * both words (slots 0, 1) and stores the smaller and the larger (slots 2, 3).
 */
#ifndef BANKSCOPE_NETWORK_H
#define BANKSCOPE_NETWORK_H

#include "kernels/kernel.h"

/* The parameters of every network kernel. */
struct network_params {
    int w, u, blocks, n;
};

DEVICE void compare_exchange(CONTEXT, SHARED_PTR(int) tile, int low, int high)
{
    int a = LOAD(tile, low), b = LOAD(tile, high);
    STORE(tile, low, a < b ? a : b);
    STORE(tile, high, a < b ? b : a);
}

/* Coalesced copies between global memory and the tile; stages load and store. */
DEVICE void load_words(CONTEXT, SHARED_PTR(int) tile, const int *list, int n, int u)
{
    for (int j = 0; j * u + (int)threadIdx.x < n; j++) {
        int k = j * u + (int)threadIdx.x;
        ROUND(j);
        STORE(tile, k, list[k]);
    }
}

DEVICE void store_words(CONTEXT, SHARED_PTR(const int) tile, int *list, int n, int u)
{
    for (int j = 0; j * u + (int)threadIdx.x < n; j++) {
        int k = j * u + (int)threadIdx.x;
        ROUND(j);
        list[k] = LOAD(tile, k);
    }
}

#ifdef SIMT_HOST

enum { NETWORK_MAX_N = 8192 };
#define PARAM_NETWORK_N PARAM(n, 64, 1, NETWORK_MAX_N, "words to sort")

/* load, store, step-0, step-1, ... */
static inline bool network_stage_name(int steps, int i, char name[64])
{
    if (i < 2)
        snprintf(name, 64, "%s", i ? "store" : "load");
    else
        snprintf(name, 64, "step-%d", i - 2);
    return i < steps + 2;
}

static inline bool network_shape(const void *params, struct kernel_shape *shape,
                                 struct error *error)
{
    const struct network_params *p = (const struct network_params *)params;
    (void)error;
    shape->shared_bytes = (size_t)p->n * sizeof(int);
    shape->in_words = shape->out_words = (size_t)p->n * (size_t)p->blocks;
    return true;
}

static inline bool network_check(const void *params, const struct kernel_shape *shape,
                                 const int *in, const int *out, struct error *error)
{
    const struct network_params *p = (const struct network_params *)params;
    (void)shape;
    return check_sorted((size_t)p->n, (size_t)p->blocks, in, out, error);
}

#endif
#endif
