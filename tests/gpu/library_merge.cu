/* library_merge.cu - the library's own merge, recorded, against `thrust-merge order=library`.
 *
 *     library_merge TRACE...
 *
 * Each trace is one of thrust-merge with order=library. Its stage load says what lies in the tile
 * and how long A is. On that tile every thread runs cub's MergePath and SerialMerge, the templates
 * of the installed CUDA toolkit, through an iterator that writes down what is read. From what the
 * threads read, in their order, the warp accesses of stages search and merge follow: in the n-th
 * step of the search all lanes that take one read A, then B; in the merge both heads, then, after
 * each output, from the list that it came from, the lanes of A and those of B apart. The last
 * reload serves nobody: no compiler makes it, and the kernel does not. These accesses must be those
 * of the trace, lane by lane, word by word, value by value.
 *
 * By g++ this runs on the host; by nvcc the same templates run on the GPU.
 */
#include "instrument/instrument.h"

#include <cuda_runtime.h>
#ifndef __CUDACC__
/* Words that cub's headers name, although nothing that is used here does. */
static uint3 threadIdx;
static inline void __syncthreads()
{
}
template <class T> static T __shfl_sync(unsigned, T value, int, int = 32)
{
    return value;
}
#endif
#include <cub/block/block_merge_sort.cuh>

#include <array>
#include <map>
#include <stdio.h>
#include <string.h>
#include <vector>

/* What one thread reads: the elements of the tile, in order. */
struct reads {
    int *element;
    int count, room;
};

/* An iterator that writes down what is read through it. */
struct recording_iterator {
    using value_type = int;
    using difference_type = int;
    using pointer = const int *;
    using reference = int;
    using iterator_category = std::random_access_iterator_tag;
    const int *tile;
    int first;
    struct reads *reads;
    __host__ __device__ int operator[](int i) const
    {
        if (reads->count < reads->room)
            reads->element[reads->count] = first + i;
        reads->count++;
        return tile[first + i];
    }
};

struct ascending {
    __host__ __device__ bool operator()(int a, int b) const
    {
        return a < b;
    }
};

/* What AgentMerge does in thread t, for a tile of n elements of which na are A's. Returns how many
 * reads belong to the search. */
template <int E>
__host__ __device__ int merge_thread(int t, const int *tile, int n, int na, struct reads *reads)
{
#if !defined(__CUDACC__) || defined(__CUDA_ARCH__)
    int nb = n - na, diagonal = E * t < n ? E * t : n;
    recording_iterator a{tile, 0, reads}, b{tile, na, reads};
    int from_a = cub::MergePath(a, b, na, nb, diagonal, ascending());
    int from_b = diagonal - from_a, searched = reads->count;
    int output[E], indices[E];
    cub::SerialMerge(a, from_a, from_b + na, na - from_a, nb - from_b, output, indices,
                     ascending());
    return searched;
#else
    return 0;
#endif
}

#ifdef __CUDACC__
template <int E>
__global__ void merge_kernel(const int *tile, int n, int na, struct reads *reads, int *searched)
{
    searched[threadIdx.x] =
        merge_thread<E>(static_cast<int>(threadIdx.x), tile, n, na, &reads[threadIdx.x]);
}
#endif

/* All threads of a block; element[t] gets what thread t reads. */
template <int E>
static bool run(const std::vector<int> &tile, int na, int threads,
                std::vector<std::vector<int>> &element, std::vector<int> &searched)
{
    const int room = 2 * 32 + 2 + E + 1, n = threads * E;
    std::vector<int> all(static_cast<size_t>(threads) * room);
    std::vector<struct reads> reads(threads);
    searched.resize(threads);
#ifdef __CUDACC__
    int *device_tile, *device_all, *device_searched;
    struct reads *device_reads;
    cudaMalloc(&device_tile, tile.size() * sizeof(int));
    cudaMalloc(&device_all, all.size() * sizeof(int));
    cudaMalloc(&device_searched, searched.size() * sizeof(int));
    cudaMalloc(&device_reads, reads.size() * sizeof reads[0]);
    for (int t = 0; t < threads; t++)
        reads[t] = {device_all + t * room, 0, room};
    cudaMemcpy(device_tile, tile.data(), tile.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(device_reads, reads.data(), reads.size() * sizeof reads[0], cudaMemcpyHostToDevice);
    merge_kernel<E><<<1, threads>>>(device_tile, n, na, device_reads, device_searched);
    cudaMemcpy(all.data(), device_all, all.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(searched.data(), device_searched, searched.size() * sizeof(int),
               cudaMemcpyDeviceToHost);
    cudaMemcpy(reads.data(), device_reads, reads.size() * sizeof reads[0], cudaMemcpyDeviceToHost);
    cudaFree(device_tile), cudaFree(device_all), cudaFree(device_searched), cudaFree(device_reads);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        fprintf(stderr, "library_merge: %s\n", cudaGetErrorString(cudaGetLastError()));
        return false;
    }
#else
    for (int t = 0; t < threads; t++) {
        reads[t] = {&all[static_cast<size_t>(t) * room], 0, room};
        searched[t] = merge_thread<E>(t, tile.data(), n, na, &reads[t]);
    }
#endif
    element.resize(threads);
    for (int t = 0; t < threads; t++) {
        if (reads[t].count > room || reads[t].count != searched[t] + 2 + E)
            return fprintf(stderr, "library_merge: thread %d makes %d reads\n", t, reads[t].count),
                   false;
        const int *first = &all[static_cast<size_t>(t) * room];
        element[t].assign(first, first + reads[t].count);
    }
    return true;
}

/* Stage, round, slot and warp; and there, by lane, the element. */
using place = std::array<int, 4>;
using accesses = std::map<place, std::vector<std::pair<int, int>>>;

/* The reads of all threads as warp accesses. */
static bool arrange(const std::vector<std::vector<int>> &element, const std::vector<int> &searched,
                    int warp, int E, int search, int merge, accesses &out)
{
    for (int t = 0; t < static_cast<int>(element.size()); t++) {
        const int *at = element[t].data();
        int w = t / warp, lane = t % warp, a, b;
        for (int i = 0; i < searched[t]; i++)
            out[{search, i / 2, i % 2, w}].push_back({lane, *at++});
        out[{merge, 0, 0, w}].push_back({lane, a = *at++});
        out[{merge, 0, 1, w}].push_back({lane, b = *at++});
        for (int j = 1; j < E; j++, at++) {
            if (*at != a + 1 && *at != b + 1)
                return false;
            int slot = *at == b + 1;
            out[{merge, j, slot, w}].push_back({lane, *at});
            (slot ? b : a) = *at;
        }
    }
    return true;
}

static bool compare_block(const struct trace *trace, int block, uint64_t *compared)
{
    const struct trace_header *header = &trace->header;
    int E = static_cast<int>(header_param(header, "E", 0)), na = 0;
    int load = header_stage(header, "load"), search = header_stage(header, "search");
    int merge = header_stage(header, "merge");
    std::vector<int> tile(static_cast<size_t>(header->threads) * E + 1, 0);
    accesses expected, recorded;

    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        if (access.block != block)
            continue;
        for (int k = 0; k < access.lanes; k++) {
            int word = static_cast<int>(access.addr[k] / 4);
            if (access.stage == load) {
                tile[word] = static_cast<int>(access.value[k]);
                na += access.tag[k] == 'A';
            } else if (access.stage == search || access.stage == merge) {
                recorded[{access.stage, access.round, access.slot, access.warp}].push_back(
                    {access.lane[k], word});
                if (tile[word] != access.value[k])
                    return fprintf(stderr, "word %d is not what it was\n", word), false;
            }
        }
    }
    std::vector<std::vector<int>> element;
    std::vector<int> searched;
    bool ran = E == 8    ? run<8>(tile, na, header->threads, element, searched)
               : E == 15 ? run<15>(tile, na, header->threads, element, searched)
               : E == 16 ? run<16>(tile, na, header->threads, element, searched)
               : E == 17 ? run<17>(tile, na, header->threads, element, searched)
                         : (fprintf(stderr, "library_merge: E must be 8, 15, 16 or 17\n"), false);
    if (!ran || !arrange(element, searched, header->warp, E, search, merge, expected))
        return false;
    for (const auto &entry : expected)
        *compared += entry.second.size();
    if (expected == recorded)
        return true;
    for (const auto &entry : expected)
        if (recorded[entry.first] != entry.second) {
            fprintf(stderr, "differs first in stage %s, round %d, slot %d, block %d, warp %d\n",
                    header->stage[entry.first[0]], entry.first[1], entry.first[2], block,
                    entry.first[3]);
            return false;
        }
    fprintf(stderr, "the trace has accesses that the library does not make\n");
    return false;
}

int main(int argc, char **argv)
{
    bool all = argc > 1;
    for (int i = 1; i < argc; i++) {
        struct trace trace = {};
        struct error error = {};
        uint64_t compared = 0;
        bool equal = trace_load_part(argv[i], NULL, &trace, &error);
        if (!equal)
            fprintf(stderr, "library_merge: %s\n", error.text);
        if (equal && (trace.header.threads < 1 || header_stage(&trace.header, "merge") < 0))
            equal = fprintf(stderr, "library_merge: %s is no trace of thrust-merge\n", argv[i]) < 0;
        for (int block = 0; equal && block < trace.header.blocks; block++)
            equal = compare_block(&trace, block, &compared);
        printf("%s: %s, %llu reads of cub %d.%d on the %s\n", equal ? "equal" : "DIFFERS", argv[i],
               static_cast<unsigned long long>(compared), CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
#ifdef __CUDACC__
               "GPU"
#else
               "host"
#endif
        );
        all = all && equal;
        trace_free(&trace);
    }
    return all ? 0 : 1;
}
