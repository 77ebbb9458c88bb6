/* resident_blocks.cu - is only compiled, for every GPU: ptxas refuses more blocks than a multiprocessor has
 * room for. */
#include "sort/tile.cuh"

template <int THREADS>
__global__ void __launch_bounds__(THREADS, bankscope::resident_blocks(THREADS, 32)) room()
{
}
template __global__ void room<256>();
template __global__ void room<512>();
