/* search_pbs_cf.cu - PBS-CF: predecessor search without bank conflicts (predecessor section IV-B).
 *
 * Stage 1: lane l searches its own bank, keys l, l + w, l + 2 w, ..., for the last that is at most
 * q. The answer is among the w keys from there on. Stage 2: the lanes read their w keys one after
 * another, in step, and so stay in different banks. For w = 4, keys 0 10 20 30 40 50 60 70 and
 * q = 45, lane 1 finds key 1 (10; its next, 50, is above q) and reads 10 20 30 40.
 *
 * There are no conflicts, but stage 2 takes w reads where a binary search needs log w.
 */
#include "kernels/search.h"

struct search_pbs_cf {
    int w, u, blocks, K, Q, key_bytes, bank_bytes;
};

STAGES(setup, stage_1, stage_2)

BARE(search_pbs_cf, {32, 1024, ANY, ANY, ANY, 4, 4}, {32, 1024, ANY, ANY, ANY, 8, 4})

KERNEL(search_pbs_cf)
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
        int first = search_own_bank(simt_, keys, lane, unit, q, query * rounds);

        STAGE(stage_2);
        int answer = -1;
        for (int j = 0; j < stride; j++) {
            ROUND(query * stride + j);
            if (at_most(simt_, keys, first + j, q))
                answer = first + j;
        }
        out[i] = answer;
        query++;
    }
}

#ifdef SIMT_HOST

PARAMS(search_pbs_cf) = {SEARCH_PARAMS, {0}};
AGREES(search_params, w, u, blocks, K, Q, key_bytes, bank_bytes);

ENTRY(
    search_pbs_cf, .name = "search-pbs-cf",
    .summary = "PBS-CF: predecessor search without bank conflicts",
    .look =
        "In stage-1, every lane stays in its own bank. In stage-2, the lanes move on together, one "
        "bank per round. The number of rounds in stage-2 is the price.",
    .source = "predecessor section IV-B", .inputs = INPUT_ANY | INPUT_WORST,
    .shape = search_shape_columns, .prepare = search_prepare, .check = search_check,
    .report = search_report)

#endif
