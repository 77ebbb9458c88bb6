/*
 * bfs - distances in a graph, level by level. A thread takes one node of the frontier; nodes that are
 * found (atomicCAS decides by whom) go into a queue of the block in shared memory, and from there,
 * with one atomic addition per block, into the next frontier.
 */
#include "program.h"

const int THREADS = 64, QUEUE = 256;

__global__ void level(const int *edge_begin, const int *edges, int *distance, int depth,
                      const int *frontier, int count, int *next, int *next_count)
{
    __shared__ int queue[QUEUE];
    __shared__ int queued, place;
    if (threadIdx.x == 0)
        queued = 0;
    __syncthreads();

    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) {
        int node = frontier[i];
        for (int e = edge_begin[node]; e < edge_begin[node + 1]; e++)
            if (atomicCAS(&distance[edges[e]], -1, depth) == -1)
                queue[atomicAdd(&queued, 1)] = edges[e];
    }
    __syncthreads();

    if (threadIdx.x == 0)
        place = atomicAdd(next_count, queued);
    __syncthreads();
    for (int k = threadIdx.x; k < queued; k += THREADS)
        next[place + k] = queue[k];
}

int main()
{
    const int nodes = 600, degree = 3; /* a block finds at most 64 x 3 nodes: QUEUE has room */
    std::vector<int> edge_begin, edges = random_ints(nodes * degree, nodes);
    for (int node = 0; node <= nodes; node++)
        edge_begin.push_back(node * degree);

    std::vector<int> want(nodes, -1), queue{0};
    want[0] = 0;
    for (size_t head = 0; head < queue.size(); head++)
        for (int e = 0; e < degree; e++) {
            int found = edges[queue[head] * degree + e];
            if (want[found] < 0) {
                want[found] = want[queue[head]] + 1;
                queue.push_back(found);
            }
        }

    std::vector<int> distance(nodes, -1);
    distance[0] = 0;
    int *device_begin = to_device(edge_begin), *device_edges = to_device(edges);
    int *device_distance = to_device(distance), *count = on_device<int>(1);
    int *frontier = to_device(std::vector<int>(nodes)), *next = on_device<int>(nodes);
    int frontier_count = 1;
    for (int depth = 1; frontier_count > 0; depth++) {
        CUDA(cudaMemset(count, 0, sizeof *count));
        level<<<(frontier_count + THREADS - 1) / THREADS, THREADS>>>(
            device_begin, device_edges, device_distance, depth, frontier, frontier_count, next,
            count);
        CUDA(launched());
        CUDA(cudaMemcpy(&frontier_count, count, sizeof *count, cudaMemcpyDeviceToHost));
        std::swap(frontier, next);
    }
    int wrong = compare("distance", to_host(device_distance, nodes), want);
    for (int *memory : {device_begin, device_edges, device_distance, count, frontier, next})
        CUDA(cudaFree(memory));
    return report("bfs", wrong);
}
