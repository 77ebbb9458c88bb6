/* cluster_histogram.cu - a histogram of which each block of a cluster keeps a part in its shared memory; all blocks add to
 * all parts. As the CUDA programming guide has it. */
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>

namespace cg = cooperative_groups;
enum { BINS = 64, BLOCKS = 4, THREADS = 64, VALUES = 4096 };

__global__ void histogram(const int *values, int *bins)
{
    __shared__ int part[BINS / BLOCKS];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < BINS / BLOCKS; i += blockDim.x)
        part[i] = 0;
    cluster.sync();
    for (int i = cluster.thread_rank(); i < VALUES; i += cluster.num_threads()) {
        const int bin = values[i] % BINS;
        int *where = cluster.map_shared_rank(part, bin / (BINS / BLOCKS));
        atomicAdd(where + bin % (BINS / BLOCKS), 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < BINS / BLOCKS; i += blockDim.x)
        bins[cluster.block_rank() * (BINS / BLOCKS) + i] = part[i];
}

/* The kernel says how large its clusters are. */
__global__ void __cluster_dims__(2, 2) ranks(unsigned *rank)
{
    const cg::cluster_group cluster = cg::this_cluster();
    const dim3 index = cluster.block_index();
    if (threadIdx.x == 0)
        rank[blockIdx.y * gridDim.x + blockIdx.x] =
            cluster.num_blocks() * 100 + index.y * 10 + index.x +
            (cluster.block_rank() != 2 * index.y + index.x) * 1000;
}

static int ranks_are_wrong(unsigned *rank)
{
    int wrong = 0;
    ranks<<<dim3(4, 2), 32>>>(rank);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (unsigned y = 0; y < 2; y++)
        for (unsigned x = 0; x < 4; x++)
            wrong += rank[y * 4 + x] != 400 + y * 10 + x % 2;
    return wrong;
}

int main()
{
    int *values, *bins, expected[BINS] = {0}, wrong = 0, clusters = 0;
    cudaMallocManaged(&values, VALUES * sizeof *values);
    cudaMallocManaged(&bins, BINS * sizeof *bins);
    for (int i = 0; i < VALUES; i++) {
        values[i] = (int)((unsigned)i * 2654435761u >> 7);
        expected[values[i] % BINS]++;
    }
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = BLOCKS;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.gridDim = dim3(BLOCKS);
    config.blockDim = dim3(THREADS);
    config.attrs = attribute;
    config.numAttrs = 1;
    if (cudaOccupancyMaxActiveClusters(&clusters, histogram, &config) != cudaSuccess ||
        clusters < 1 ||
        cudaLaunchKernelEx(&config, histogram, (const int *)values, bins) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess)
        return printf("cluster histogram: not run\n"), 1;
    for (int i = 0; i < BINS; i++)
        wrong += bins[i] != expected[i];
    wrong += ranks_are_wrong((unsigned *)bins);
    config.gridDim = dim3(BLOCKS + 1); /* not whole clusters */
    if (cudaLaunchKernelEx(&config, histogram, (const int *)values, bins) == cudaSuccess)
        wrong++;
    cudaGetLastError();
    printf("cluster histogram: %s\n", wrong ? "wrong" : "good");
    return wrong != 0;
}
