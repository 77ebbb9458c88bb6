/* prefix_groups - sums and prefix sums with cooperative groups: tiles of 16 lanes, their reduce and
   scan, the lanes that are active in a branch, and the block. */
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

const int THREADS = 128, WIDTH = 16, TILES = THREADS / WIDTH;

__global__ void prefix(const int *in, int *out, int *odd_values)
{
    __shared__ int tile_sums[TILES];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<WIDTH> tile = cg::tiled_partition<WIDTH>(block);
    int i = block.group_index().x * THREADS + block.thread_rank();
    int value = in[i];

    int before = cg::exclusive_scan(tile, value, cg::plus<int>());
    int sum = cg::reduce(tile, value, cg::plus<int>());
    if (tile.thread_rank() == 0)
        tile_sums[tile.meta_group_rank()] = sum;
    block.sync();
    for (int t = 0; t < tile.meta_group_rank(); t++)
        before += tile_sums[t];
    out[i] = before;

    if (value % 2 != 0) {
        cg::coalesced_group odd = cg::coalesced_threads();
        if (odd.thread_rank() == 0)
            atomicAdd(odd_values, odd.size());
    }
}

int main()
{
    const int blocks = 2, n = blocks * THREADS;
    std::vector<int> in = random_ints(n, 100), want(n), odd(1);
    for (int i = 0; i < n; i++) {
        want[i] = i % THREADS == 0 ? 0 : want[i - 1] + in[i - 1];
        odd[0] += in[i] % 2;
    }

    int *device_in = to_device(in), *device_out = on_device<int>(n);
    int *device_odd = to_device(std::vector<int>(1));
    prefix<<<blocks, THREADS>>>(device_in, device_out, device_odd);
    CUDA(launched());
    int wrong = compare("prefix", to_host(device_out, n), want);
    wrong += compare("odd", to_host(device_odd, 1), odd);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    CUDA(cudaFree(device_odd));
    return report("prefix_groups", wrong);
}
