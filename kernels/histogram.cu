/* histogram.cu - each lane has its own bins in shared memory, in one of two layouts.
 *
 * banked: bin b of lane t is word b w + t. A lane stays in its bank whatever it counts, so no input
 * causes a conflict. rows: bin b of lane t is word t bins + b. Lanes that count different bins may
 * meet in a bank, and if bins is a multiple of w, lanes that count the same bin do meet. At the end
 * the lanes' bins are summed, and each lane begins with a different lane's bins. In layout banked
 * they do not meet; in rows they read with a stride of bins + 1 words (with 32 bins none meet, with
 * 31 bins all do).
 */
#include "kernels/kernel.h"

struct histogram {
    int w, u, blocks, bins, variant;
};
enum { VARIANT_BANKED, VARIANT_ROWS };
enum { PER_THREAD = 16 /* elements */ };

STAGES(clear, count, sum)

BARE(histogram, {32, 32, 1, 32, VARIANT_BANKED}, {32, 32, 1, 32, VARIANT_ROWS})

DEVICE int bin_word(const struct histogram p, int lane, int bin)
{
    return p.variant == VARIANT_BANKED ? bin * p.w + lane : lane * p.bins + bin;
}

KERNEL(histogram)
{
    int t = threadIdx.x, lane = t % p.w, warps = p.u / p.w, round = 0;
    SHARED(int, counters, p.u *p.bins);
    SHARED_PTR(int) mine = SHARED_AT(counters, t / p.w * p.w * p.bins); /* of this warp */

    STAGE(clear);
    for (int b = 0; b < p.bins; b++) {
        ROUND(b);
        STORE(counters, b * p.u + t, 0);
    }
    __syncthreads();

    STAGE(count);
    for (int k = 0; k < PER_THREAD; k++) {
        int bin = in[((int)blockIdx.x * PER_THREAD + k) * p.u + t] % p.bins;
        ROUND(k);
        STORE(mine, bin_word(p, lane, bin), LOAD(mine, bin_word(p, lane, bin)) + 1);
    }
    __syncthreads();

    STAGE(sum);
    for (int first = 0; first < p.bins; first += p.u) {
        int bin = first + t, total = 0;
        for (int k = 0; k < p.w * warps; k++, round++) {
            SHARED_PTR(const int) of = SHARED_AT(counters, k / p.w * p.w * p.bins);
            ROUND(round);
            if (bin < p.bins)
                total += LOAD(of, bin_word(p, (k + t) % p.w, bin));
        }
        if (bin < p.bins)
            out[(int)blockIdx.x * p.bins + bin] = total;
    }
}

#ifdef SIMT_HOST

static const char *const variants[] = {"banked", "rows", NULL};
PARAMS(histogram) = {
    PARAM_W(32),
    PARAM_U(32),
    PARAM_BLOCKS,
    PARAM(bins, 32, 1, 1024, "number of bins; an element's bin is its value mod bins"),
    PARAM_WORDS(variant, VARIANT_ROWS, variants, "a lane's bins in its own bank, or in a row"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct histogram *p = params;
    (void)error;
    shape->shared_bytes = (size_t)p->u * (size_t)p->bins * sizeof(int);
    shape->in_words = (size_t)p->u * PER_THREAD * (size_t)p->blocks;
    shape->out_words = (size_t)p->bins * (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct histogram *p = params;
    size_t n = (size_t)p->u * PER_THREAD;
    (void)shape;
    for (int block = 0; block < p->blocks; block++) {
        int expected[1024] = {0};
        for (size_t i = 0; i < n; i++)
            expected[in[(size_t)block * n + i] % p->bins]++;
        if (!same_numbers(out + block * p->bins, expected, (size_t)p->bins, error))
            return false;
    }
    return true;
}

ENTRY(histogram, .name = "histogram", .summary = "counting, with separate bins for each lane",
      .look =
          "With variant=banked, every lane stays in its own bank, whatever the data. With "
          "variant=rows, the conflicts of stage count depend on the data: try --input duplicates.",
      .source = "puzzle", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_naturals,
      .check = check)

#endif
