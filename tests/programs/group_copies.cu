/*
 * group_copies - memcpy_async of cooperative groups and of libcu++, in pieces of what the types promise of
 * the alignment. What is less than 4 bytes, or not from global to shared memory, is copied by loads and
 * stores; a tile's last round is done by all its threads.
 */
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

const int THREADS = 64, BYTES = 1024;

#pragma nv_diag_suppress static_var_with_dynamic_init // the barrier

enum way {
    CHARS,
    CHARS_APART,
    SHORTS,
    INTS,
    INTS_ALIGNED,
    INT4S,
    TILE,
    WITHIN,
    BARRIER,
    PIPELINE,
    THREAD
};

/* Copies `bytes` bytes of `in`, from `from` on, to byte `to` of the tile. */
template <way WAY> __global__ void copies(const char *in, char *out, int from, int to, int bytes)
{
    __shared__ alignas(16) char tile[BYTES], other[BYTES];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    cg::thread_block block = cg::this_thread_block();
    for (int i = threadIdx.x; i < BYTES / 4; i += THREADS)
        reinterpret_cast<int *>(tile)[i] = reinterpret_cast<int *>(other)[i] = 0x05050505;
    if (WAY == BARRIER && threadIdx.x == 0)
        init(&barrier, THREADS);
    __syncthreads();
    int *ints = reinterpret_cast<int *>(tile + to);
    const int *in_ints = reinterpret_cast<const int *>(in + from);
    if (WAY == CHARS || WAY == CHARS_APART)
        cg::memcpy_async(block, tile + to, in + from, bytes);
    else if (WAY == SHORTS)
        cg::memcpy_async(block, reinterpret_cast<short *>(tile + to),
                         reinterpret_cast<const short *>(in + from), bytes);
    else if (WAY == INTS)
        cg::memcpy_async(block, ints, in_ints, bytes);
    else if (WAY == INTS_ALIGNED)
        cg::memcpy_async(block, ints, in_ints, cuda::aligned_size_t<16>(bytes));
    else if (WAY == INT4S)
        cg::memcpy_async(block, reinterpret_cast<int4 *>(tile + to), BYTES / 16,
                         reinterpret_cast<const int4 *>(in + from), bytes / 16);
    else if (WAY == TILE && threadIdx.x < 32)
        cg::memcpy_async(cg::tiled_partition<32>(block), ints, in_ints,
                         cuda::aligned_size_t<16>(bytes));
    else if (WAY == WITHIN)
        cg::memcpy_async(block, reinterpret_cast<int *>(other + to), ints, bytes);
    else if (WAY == BARRIER)
        cuda::memcpy_async(block, ints, in_ints, bytes, barrier);
    if (WAY == BARRIER)
        barrier.arrive_and_wait();
    if (WAY == PIPELINE) {
        cuda::pipeline<cuda::thread_scope_thread> pipeline = cuda::make_pipeline();
        pipeline.producer_acquire();
        cuda::memcpy_async(block, ints, in_ints, cuda::aligned_size_t<8>(bytes), pipeline);
        pipeline.producer_commit();
        pipeline.consumer_wait();
        pipeline.consumer_release();
    }
    if (WAY == THREAD) {
        cuda::pipeline<cuda::thread_scope_thread> pipeline = cuda::make_pipeline();
        pipeline.producer_acquire();
        int each = bytes / THREADS;
        cuda::memcpy_async(tile + to + threadIdx.x * each, in + from + threadIdx.x * each,
                           cuda::aligned_size_t<4>(each), pipeline);
        pipeline.producer_commit();
        pipeline.consumer_wait();
        pipeline.consumer_release();
    }
    cg::wait(block);
    const int *result = reinterpret_cast<int *>(WAY == WITHIN ? other : tile);
    for (int i = threadIdx.x; i < BYTES / 4; i += THREADS)
        reinterpret_cast<int *>(out)[i] = result[i];
}

static std::vector<char> input;
static char *device_in, *device_out;

template <way WAY> static int run(const char *name, int from, int to, int bytes)
{
    std::vector<char> want(BYTES, 5);
    for (int i = 0; i < bytes; i++)
        want[to + i] = WAY == WITHIN ? 5 : input[from + i];
    copies<WAY><<<1, THREADS>>>(device_in, device_out, from, to, bytes);
    CUDA(launched());
    return compare(name, to_host(device_out, BYTES), want);
}

int main()
{
    for (int i = 0; i < BYTES; i++)
        input.push_back((char)(i * 7 % 101));
    device_in = to_device(input);
    device_out = on_device<char>(BYTES);
    int wrong = run<CHARS>("chars", 1, 17, 180);
    wrong += run<CHARS_APART>("chars apart", 0, 3, 100);
    wrong += run<SHORTS>("shorts", 2, 6, 100);
    wrong += run<INTS>("ints", 0, 0, 600);
    wrong += run<INTS_ALIGNED>("ints, aligned", 16, 32, 512);
    wrong += run<INT4S>("int4s", 0, 0, 1024);
    wrong += run<TILE>("tile", 0, 0, 640);
    wrong += run<WITHIN>("within", 0, 0, 256);
    wrong += run<BARRIER>("barrier", 0, 0, 400);
    wrong += run<PIPELINE>("pipeline", 0, 0, 640);
    wrong += run<THREAD>("thread", 0, 0, 512);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("group_copies", wrong);
}
