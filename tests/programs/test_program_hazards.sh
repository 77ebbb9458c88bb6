#!/bin/sh
# program: loops that hand data from thread to thread are found where one of their barriers, waits or fences is left out,
# and are silent where none is.
. tests/support/tap.sh
. tests/support/cuda.sh

# Each kernel is correct; `gone` is the number of what is left out.
cat >"$WORK/hazards.cu" <<'END'
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdlib>
#include <cstring>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
#define KERNEL(name) template <int gone> __global__ void name(const float *a, float *o, int n)
#define BUT(number, statement) do { if (gone != number) statement; } while (0)
#define SYNC(number) BUT(number, __syncthreads())
#define FENCE(number) BUT(number, __threadfence())
#define THREAD const int t = threadIdx.x, g = blockIdx.x * blockDim.x + t; float v = 0; (void)g; (void)v
__device__ unsigned tickets;
__device__ int held, flags[64];
__device__ float told[128];

KERNEL(tile)
{
    THREAD;
    __shared__ float s[128];
    for (int i = 0; i < n; i++) {
        s[t] = a[i * 128 + t];
        SYNC(1);
        v += s[127 - t];
        SYNC(2);
    }
    o[g] = v;
}
/* Of two buffers one is copied to while the other is read; of three, no barrier is needed behind the reads. */
template <int gone, int buffers> __device__ void copy(const float *a, float *o, int n)
{
    THREAD;
    __shared__ float s[buffers][128];
    __pipeline_memcpy_async(&s[0][t], &a[t], 4);
    __pipeline_commit();
    for (int i = 0; i < n; i++) {
        if (i + 1 < n)
            __pipeline_memcpy_async(&s[(i + 1) % buffers][t], &a[(i + 1) * 128 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(gone == 1 ? 2 : 1);
        SYNC(2);
        v += s[i % buffers][127 - t];
        if (buffers == 2)
            SYNC(3);
    }
    o[g] = v;
}
KERNEL(two) { copy<gone, 2>(a, o, n); }
KERNEL(three) { copy<gone, 3>(a, o, n); }
/* Five copies are under way, in five buffers or in four. */
KERNEL(deep)
{
    THREAD;
    constexpr int buffers = gone == 1 ? 4 : 5;
    __shared__ float s[buffers][128];
    for (int i = 0; i < 5; i++) {
        __pipeline_memcpy_async(&s[i % buffers][t], &a[i * 128 + t], 4);
        __pipeline_commit();
    }
    __pipeline_wait_prior(0);
    __syncthreads();
    o[g] = s[1][127 - t];
}
KERNEL(lanes)
{
    THREAD;
    __shared__ float s[128];
    s[t] = a[t];
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) {
        const float x = s[t] + s[(t & ~31) | ((t + d) & 31)];
        BUT(1, __syncwarp());
        s[t] = x;
        BUT(2, __syncwarp());
    }
    o[g] = s[t];
}
KERNEL(tree)
{
    THREAD;
    __shared__ float s[128];
    s[t] = a[t];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        if (d > 32)
            SYNC(1);
        else
            BUT(2, __syncwarp());
    }
    if (t == 0)
        o[blockIdx.x] = s[0];
}
/* Warps that store, and warps that load, by named barriers: one for full, one for empty. */
KERNEL(named)
{
    THREAD;
    __shared__ float s[64];
    for (int i = 0; i < n && t < 64; i++) {
        if (i > 0)
            BUT(1, asm volatile("bar.sync 1, 128;" ::: "memory"));
        s[t] = a[i * 64 + t] + 1;
        asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
    for (int i = 0; i < n && t >= 64; i++) {
        asm volatile("bar.sync 2, 128;" ::: "memory");
        v += s[127 - t];
        if (i + 1 < n)
            BUT(1, asm volatile("bar.arrive 1, 128;" ::: "memory"));
    }
    o[g] = v;
}
KERNEL(phases)
{
    THREAD;
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    __shared__ float s[128];
    if (t == 0)
        init(&full, 128);
    __syncthreads();
    for (int i = 0; i < n; i++) {
        s[t] = a[i * 128 + t];
        BUT(1, full.arrive_and_wait());
        v += s[127 - t];
        BUT(2, full.arrive_and_wait());
    }
    o[g] = v;
}
KERNEL(group)
{
    THREAD;
    __shared__ float s[128];
    const cg::thread_block block = cg::this_thread_block();
    for (int i = 0; i < n; i++) {
        cg::memcpy_async(block, s, a + i * 128, sizeof s);
        BUT(1, cg::wait(block));
        v += s[127 - t];
        BUT(2, block.sync());
    }
    o[g] = v;
}
/* Copies that a barrier waits for, and those of a pipeline of two stages that the block shares. */
KERNEL(tracked)
{
    THREAD;
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    __shared__ float s[128];
    const cg::thread_block block = cg::this_thread_block();
    if (t == 0)
        init(&full, 128);
    block.sync();
    for (int i = 0; i < n; i++) {
        cuda::memcpy_async(block, s, a + i * 128, sizeof s, full);
        if (gone == 1)
            block.sync();
        else
            full.arrive_and_wait();
        v += s[127 - t];
        BUT(2, block.sync());
    }
    o[g] = v;
}
KERNEL(stages)
{
    THREAD;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][128];
    const cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int i = 0, next = 0; i < n; i++) {
        for (; next < n && next < i + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[next % 2], a + next * 128, sizeof s[0], pipe);
            pipe.producer_commit();
        }
        if (gone == 1)
            block.sync();
        else
            pipe.consumer_wait();
        if (gone == 2)
            pipe.consumer_release();
        v += s[i % 2][127 - t];
        if (gone == 1)
            pipe.consumer_wait();
        BUT(2, pipe.consumer_release());
    }
    o[g] = v;
}
/* Sums over eight lanes. */
KERNEL(parts)
{
    THREAD;
    __shared__ float s[128];
    const auto part = cg::tiled_partition<8>(cg::this_thread_block());
    s[t] = a[g];
    part.sync();
    for (int d = 4; d > 0; d /= 2) {
        const float x = s[t] + s[t / 8 * 8 + (t + d) % 8];
        BUT(1, part.sync());
        s[t] = x;
        BUT(2, part.sync());
    }
    o[g] = s[t];
}
KERNEL(bins)
{
    THREAD;
    __shared__ int bin[64];
    if (t < 64)
        bin[t] = 0;
    SYNC(1);
    for (int i = 0; i < n; i++)
        atomicAdd(&bin[(int)a[i * 128 + t] & 63], 1);
    SYNC(2);
    if (t < 64)
        o[g] = bin[63 - t];
}
KERNEL(append)
{
    THREAD;
    __shared__ int count;
    __shared__ float s[128];
    if (t == 0)
        count = 0;
    SYNC(1);
    if (a[g] > 50)
        s[atomicAdd(&count, 1)] = a[g];
    SYNC(2);
    if (t < count)
        o[g] = s[t];
}
KERNEL(leader)
{
    THREAD;
    __shared__ float s[4];
    for (int i = 0; i < n; i++) {
        if (t % 32 == i)
            s[t / 32] = a[g + i];
        BUT(1, __syncwarp());
        v += s[gone == 3 ? (t / 32 + 1) % 4 : t / 32];
        BUT(2, __syncwarp());
    }
    o[g] = v;
}
KERNEL(last)
{
    THREAD;
    __shared__ bool is_last;
    o[g] = a[t] + blockIdx.x;
    FENCE(1);
    SYNC(2);
    if (t == 0)
        is_last = atomicAdd(&tickets, 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last) {
        FENCE(1);
        for (int b = 0; b < gridDim.x; b++)
            v += o[b * 128 + (t + 1) % 128];
        o[4096 + t] = v;
    }
}
KERNEL(chain)
{
    THREAD;
    volatile int *flag = flags;
    if (blockIdx.x > 0) {
        if (t == 0)
            while (!flag[blockIdx.x - 1])
                ;
        SYNC(1);
        FENCE(2);
        v = o[g - 128 + (t + 5) % 128 - t];
    }
    o[g] = v + a[t];
    FENCE(2);
    SYNC(3);
    if (t == 0)
        flag[blockIdx.x] = 1;
}
KERNEL(tell)
{
    THREAD;
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[0]);
    const bool weak = gone == 1;
    if (blockIdx.x == 0) {
        told[t] = a[t];
        SYNC(2);
        if (t == 0)
            flag.store(1, weak ? cuda::memory_order_relaxed : cuda::memory_order_release);
    } else {
        if (t == 0)
            while (!flag.load(weak ? cuda::memory_order_relaxed : cuda::memory_order_acquire))
                ;
        SYNC(3);
        o[g] = told[(t + 1) % 128];
    }
}
KERNEL(lock)
{
    THREAD;
    if (t % 32 == 0) {
        while (atomicCAS(&held, 0, 1))
            ;
        FENCE(1);
        o[0] += a[t];
        FENCE(1);
        atomicExch(&held, 0);
    }
}
KERNEL(whole)
{
    THREAD;
    for (int i = 0; i < n; i++) {
        o[g] = a[t] + i;
        BUT(1, cg::this_grid().sync());
        v += o[(blockIdx.x + 1) % gridDim.x * 128 + t];
        BUT(2, cg::this_grid().sync());
    }
    o[4096 + g] = v;
}

template <void (*kernel)(const float *, float *, int)> static void launch(float *a, float *o)
{
    int n = 4;
    void *arguments[] = {&a, &o, &n};
    cudaLaunchCooperativeKernel((const void *)kernel, 4, 128, arguments);
}
int main(int, char **argument)
{
    float *a, *o, number[4096];
    const int gone = atoi(argument[2]);
    for (int i = 0; i < 4096; i++)
        number[i] = i * 37 % 101;
    cudaMalloc(&a, sizeof number);
    cudaMalloc(&o, 2 * sizeof number);
    cudaMemcpy(a, number, sizeof number, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, 2 * sizeof number);
#define RUN(name)                                                                                  \
    if (!strcmp(argument[1], #name))                                                               \
        gone == 1   ? launch<name<1>>(a, o)                                                        \
        : gone == 2 ? launch<name<2>>(a, o)                                                        \
        : gone == 3 ? launch<name<3>>(a, o)                                                        \
                    : launch<name<0>>(a, o);
    RUN(tile) RUN(two) RUN(three) RUN(deep) RUN(lanes) RUN(tree) RUN(named) RUN(phases)
    RUN(group) RUN(tracked) RUN(stages) RUN(parts) RUN(bins) RUN(append)
    RUN(leader) RUN(last) RUN(chain) RUN(tell) RUN(lock) RUN(whole)
    return cudaDeviceSynchronize();
}
END

# run KERNEL NUMBER: its findings' kinds, in $WORK/kinds.
run() {
    timeout 60 "$BANKSCOPE" run "$WORK/hazards.cu" -- "$1" "$2" >"$WORK/stdout" 2>"$WORK/stderr"
    status=$?
    sed -n 's/^bankscope run: [^ ]*:[0-9]*: \([a-z-]*\): .*/\1/p' "$WORK/stderr" | sort -u | paste -sd ' ' >"$WORK/kinds"
}
# KERNEL: the kinds that are told when 1, 2, ... is left out.
while read -r kernel kinds; do
    run "$kernel" 0
    ok "$kernel is correct" sh -c "cat '$WORK/stderr'; test $status -eq 0 && ! grep -q . '$WORK/kinds'"
    number=0
    for kind in $kinds; do
        number=$((number + 1))
        run "$kernel" "$number"
        ok "$kernel without $number: $kind" sh -c "cat '$WORK/stderr' '$WORK/kinds'; test $status -ne 0 && grep -qE '$kind' '$WORK/kinds'"
    done
done <<'END'
tile race race
two early-use-of-copy race race
three early-use-of-copy race
deep early-use-of-copy
lanes race race
tree race race
named race
phases race race
group early-use-of-copy race
tracked early-use-of-copy race
stages early-use-of-copy race
parts race race
bins race race
append race race
leader race race race
last fence|race race
chain race fence|race race
tell fence|race race race
lock fence|race
whole race race
END
finish
