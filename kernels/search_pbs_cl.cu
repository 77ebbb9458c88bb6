/* search_pbs_cl.cu - PBS-CL: predecessor search with few bank conflicts (predecessor section IV-C).
 *
 * Stage 1 is that of PBS-CF: in its own bank, lane l finds the first of the w keys among which its
 * answer lies. Stage 2 searches these keys by halving. Before step t a lane has made one of 2^t
 * possible moves, and lanes that made the same move are still in different banks. So step t has at
 * most 2^t ways. A binary search over w keys has w - 1 places to look, so the stage takes at most
 * w - 1 passes in total, for any w.
 *
 * Where two keys share a word of a bank (key_bytes=4, bank_bytes=8), there are 2 w keys to search and
 * up to 2 w - 1 passes.
 */
#include "kernels/search.h"

struct search_pbs_cl {
    int w, u, blocks, K, Q, key_bytes, bank_bytes;
};

STAGES(setup, stage_1, stage_2)

BARE(search_pbs_cl, {32, 1024, ANY, ANY, ANY, 4, 4}, {32, 1024, ANY, ANY, ANY, 8, 4})

KERNEL(search_pbs_cl)
{
    int threads = p.u * p.blocks, query = 0;
    int unit = search_unit(p.key_bytes, p.bank_bytes);
    int stride = search_stride(p.w, p.key_bytes, p.bank_bytes);
    int columns = search_columns(p.K, stride), rounds = search_rounds(columns);
    SEARCH_KEYS(keys, columns * stride, stride);
    __syncthreads();

    for (int i = (int)blockIdx.x * p.u + (int)threadIdx.x; i < p.Q; i += threads) {
        int q = in[p.K + i], lane = (int)threadIdx.x % p.w;

        STAGE(stage_1);
        int answer = search_own_bank(simt_, keys, lane, unit, q, query * rounds);

        STAGE(stage_2);
        int round = query * search_iterations(stride);
        for (int left = stride; left > 1;) {
            int half = left / 2, next = answer + half;
            ROUND(round);
            bool take = at_most(simt_, keys, next, q);
            answer = take ? next : answer;
            left = take ? left - half : half;
            round++;
        }
        out[i] = answer;
        query++;
    }
}

#ifdef SIMT_HOST

PARAMS(search_pbs_cl) = {SEARCH_PARAMS, {0}};
AGREES(search_params, w, u, blocks, K, Q, key_bytes, bank_bytes);

ENTRY(search_pbs_cl, .name = "search-pbs-cl",
      .summary = "PBS-CL: predecessor search with few bank conflicts",
      .look = "stage-1 is that of search-pbs-cf. In stage-2, successive rounds have at most 1, 2, "
              "4, ..., "
              "w / 2 ways. If w is a power of two and K a multiple of w w / 2, as by default, "
              "--input worst reaches all of these.",
      .source = "predecessor section IV-C", .inputs = INPUT_ANY | INPUT_WORST,
      .shape = search_shape_columns, .prepare = search_prepare, .check = search_check,
      .report = search_report)

#endif
