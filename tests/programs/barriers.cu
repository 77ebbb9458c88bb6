/*
 * barriers - cuda::barrier and cuda::pipeline. In the first kernel one warp produces, another consumes:
 * two barriers per buffer say "full" and "empty". In the second, all threads copy ahead through a
 * pipeline of two stages.
 */
#include "program.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void produce_and_consume(const int *in, int *out, int tiles)
{
    __shared__ int buffer[2][32];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full[2], empty[2];
    if (threadIdx.x == 0)
        for (int b = 0; b < 2; b++) {
            init(&full[b], 64);
            init(&empty[b], 64);
        }
    __syncthreads();

    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) { /* the producer */
        for (int t = 0; t < tiles; t++) {
            if (t >= 2)
                empty[t % 2].arrive_and_wait();
            buffer[t % 2][lane] = in[t * 32 + lane];
            barrier::arrival_token token = full[t % 2].arrive();
            (void)token;
        }
    } else { /* the consumer */
        int sum = 0;
        for (int t = 0; t < tiles; t++) {
            full[t % 2].arrive_and_wait();
            sum += buffer[t % 2][31 - lane];
            if (t + 2 < tiles) {
                barrier::arrival_token token = empty[t % 2].arrive();
                (void)token;
            }
        }
        out[lane] = sum;
    }
}

__global__ void staged(const int *in, int *out, int tiles)
{
    const int stages = 2;
    extern __shared__ int memory[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int threads = block.size();

    int sum = 0;
    for (int used = 0, fetched = 0; used < tiles; used++) {
        for (; fetched < tiles && fetched < used + stages; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, memory + fetched % stages * threads, in + fetched * threads,
                               sizeof(int) * threads, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += memory[used % stages * threads + threads - 1 - block.thread_rank()];
        pipeline.consumer_release();
    }
    out[block.thread_rank()] = sum;
}

int main()
{
    const int tiles = 6;
    std::vector<int> in = random_ints(tiles * 64, 1000), want(32), want_staged(64);
    for (int t = 0; t < tiles; t++) {
        for (int lane = 0; lane < 32; lane++)
            want[lane] += in[t * 32 + 31 - lane];
        for (int i = 0; i < 64; i++)
            want_staged[i] += in[t * 64 + 63 - i];
    }
    int *device_in = to_device(in), *device_out = on_device<int>(64);
    produce_and_consume<<<1, 64>>>(device_in, device_out, tiles);
    CUDA(launched());
    int wrong = compare("consumed", to_host(device_out, 32), want);
    staged<<<1, 64, 2 * 64 * sizeof(int)>>>(device_in, device_out, tiles);
    CUDA(launched());
    wrong += compare("staged", to_host(device_out, 64), want_staged);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("barriers", wrong);
}
