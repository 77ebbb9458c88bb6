/* advice_price.c - what more shared memory costs: blocks that fit a multiprocessor.
 *
 * NVIDIA's tables of compute capabilities have the limits. sm_86 and sm_89 differ in how many blocks they take at
 * most, 16 and 24; the smaller number is here. 48 KB are what Volta and Turing may be set to.
 */
#include "instrument/advice.h"

const struct multiprocessor multiprocessors[MULTIPROCESSORS] = {
    {48, 2048, 32, 0},
    {100, 1536, 16, 1024}, /* sm_86, sm_89 */
    {164, 2048, 32, 1024}, /* sm_80 */
    {228, 2048, 32, 1024}, /* sm_90 */
};

int multiprocessor_blocks(const struct multiprocessor *of, int threads, int64_t shared_bytes)
{
    enum {
        PIECE = 128 /* bytes, in which shared memory is given out */,
        WARP = 32,
        KILOBYTE = 1024
    };
    const int warps = (threads + WARP - 1) / WARP;
    const int64_t bytes = (shared_bytes + of->reserved + PIECE - 1) / PIECE * PIECE;
    int64_t most = of->blocks;
    if (warps && of->threads / WARP / warps < most)
        most = of->threads / WARP / warps;
    if (bytes && (int64_t)of->kilobytes * KILOBYTE / bytes < most)
        most = (int64_t)of->kilobytes * KILOBYTE / bytes;
    return (int)most;
}
