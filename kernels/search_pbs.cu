/* search_pbs.cu - parallel binary search for predecessors (predecessor Algorithm 1).
 *
 * Every thread searches all K keys for its query. Each round halves the range that is left. Round i
 * reads keys at odd multiples of K / 2^(i+1); while that number is a multiple of w, so is every index.
 * In the worst case, the w lanes of a warp look for keys that are K / w apart; round i then costs
 * min(2^i, w) passes. The round after the last iteration tests whether the answer is -1.
 *
 * The paper's loop moves an index by a distance that it halves and rounds up, ours rounds the half that is
 * left down. If K is a power of two, their iterations read the same keys. Otherwise the distances of
 * variant=printed come to powers of two, which meet in few banks, where halves of an odd number rarely do: with
 * random queries a warp of 32 takes 1.4 times the passes for K = 1000, and 1.7 times for K = 2047.
 */
#include "kernels/search.h"

struct search_pbs {
    int w, u, blocks, K, Q, key_bytes, bank_bytes, variant;
};

STAGES(setup, search)

BARE(search_pbs, {32, 1024, ANY, ANY, ANY, 4, 4, 0}, {32, 1024, ANY, ANY, ANY, 8, 4, 0})

KERNEL(search_pbs)
{
    int threads = p.u * p.blocks, round = 0;
    SEARCH_KEYS(keys, p.K, 1);
    __syncthreads();

    STAGE(search);
    for (int i = (int)blockIdx.x * p.u + (int)threadIdx.x; i < p.Q; i += threads) {
        int q = in[p.K + i];
        out[i] = p.variant ? search_printed(simt_, keys, q, round)
                           : search_strided(simt_, keys, 0, 1, p.K, q, round);
        round += search_rounds(p.K);
    }
}

#ifdef SIMT_HOST

static const char *const variants[] = {"halves", "printed", NULL};
PARAMS(search_pbs) = {SEARCH_PARAMS,
                      PARAM_WORDS(variant, PBS_HALVES, variants,
                                  "halves: what is left is halved and rounded down; printed: the "
                                  "paper's Algorithm 1; the same if K is a power of two"),
                      {0}};
AGREES(search_params, w, u, blocks, K, Q, key_bytes, bank_bytes);
AGREES(pbs_params, variant);

ENTRY(search_pbs, .name = "search-pbs", .summary = "naive binary search for predecessors",
      .look =
          "With --input worst, the ways double from round to round until all lanes of a warp read "
          "from one bank and stay there. With random queries, compare K = 1024, whose halves are "
          "multiples of w, with K = 1500, and that with variant=printed.",
      .source = "predecessor section IV-A", .inputs = INPUT_ANY | INPUT_WORST,
      .shape = search_shape, .prepare = search_prepare_pbs, .check = search_check,
      .report = search_report)

#endif
