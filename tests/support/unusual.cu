/* unusual.cu - correct programs with orders of their own: queues, locks and stacks without or with locks, barriers by
 * hand, buffers that are filled ahead. Nothing in them is to be blamed, whatever the order of warps and blocks. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_pipeline.h>

/* A ring with a number for each slot: many push, many pop. */
struct slot {
    volatile unsigned turn;
    int value;
};
__device__ slot ring[16];
__device__ volatile unsigned head, tail;
__device__ unsigned popped;
__global__ void make_ring()
{
    ring[threadIdx.x].turn = threadIdx.x;
}
__device__ void push(int value)
{
    for (;;) {
        const unsigned at = tail, turn = ring[at % 16].turn;
        __threadfence();
        if (turn != at || atomicCAS((unsigned *)&tail, at, at + 1) != at)
            continue;
        ring[at % 16].value = value;
        __threadfence();
        ring[at % 16].turn = at + 1;
        return;
    }
}
__device__ int pop()
{
    for (;;) {
        const unsigned at = head, turn = ring[at % 16].turn;
        __threadfence();
        if (turn != at + 1 || atomicCAS((unsigned *)&head, at, at + 1) != at)
            continue;
        const int value = ring[at % 16].value;
        __threadfence();
        ring[at % 16].turn = at + 16;
        return value;
    }
}
__global__ void use_ring()
{
    for (int i = 1; i <= 20; i++)
        if (blockIdx.x & 1)
            atomicAdd(&popped, pop());
        else
            push(i);
}

/* A lock that is had in the order in which it was asked for. */
__device__ unsigned ticket, count;
__device__ volatile unsigned served;
__global__ void by_tickets()
{
    if (threadIdx.x)
        return;
    const unsigned own = atomicAdd(&ticket, 1);
    while (served != own)
        ;
    __threadfence();
    count++;
    __threadfence();
    served = own + 1;
}

/* One atomic operation for all lanes that are here. */
__device__ int threes, list[1024];
__global__ void aggregated()
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3)
        return;
    auto group = cooperative_groups::coalesced_threads();
    int at = group.thread_rank() ? 0 : atomicAdd(&threes, group.size());
    at = group.shfl(at, 0) + group.thread_rank();
    list[at] = i;
}

/* Three buffers, two copies ahead, one barrier for each. */
__global__ void ahead(const int *in, int *out)
{
    __shared__ int s[3][64];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < 18; i++) {
        if (i >= 2) {
            __pipeline_wait_prior(1);
            __syncthreads();
            sum += s[(i - 2) % 3][t ^ 1];
        }
        if (i < 16)
            __pipeline_memcpy_async(&s[i % 3][t], &in[i * 64 + t], sizeof(int));
        __pipeline_commit();
    }
    out[t] = sum;
}

/* A warp fills what another one empties: two buffers, two named barriers for each. */
#define BARRIER(what, number) asm volatile("bar." what " %0, 64;" ::"r"(number) : "memory")
__global__ void by_names(int *out)
{
    __shared__ int s[2][32];
    const int lane = threadIdx.x % 32, first = threadIdx.x < 32;
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        const int b = i & 1;
        if (first) {
            if (i >= 2)
                BARRIER("sync", 3 + b);
            s[b][lane] = i * 32 + lane;
            BARRIER("arrive", 1 + b);
        } else {
            BARRIER("sync", 1 + b);
            sum += s[b][31 - lane];
            if (i < 6)
                BARRIER("arrive", 3 + b);
        }
    }
    if (!first)
        out[lane] = sum;
}

/* Each block waits for the one before it. */
__device__ int ready[64], part[64];
__global__ void chained()
{
    __shared__ int before;
    if (threadIdx.x == 0) {
        int seen = !blockIdx.x;
        while (!seen)
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(&ready[blockIdx.x - 1])
                         : "memory");
        before = blockIdx.x ? part[blockIdx.x - 1] : 0;
    }
    __syncthreads();
    if (threadIdx.x == 40)
        part[blockIdx.x] = before + blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(&ready[blockIdx.x])
                     : "memory");
}

/* A barrier of all blocks, again and again. */
__device__ unsigned arrived;
__device__ volatile unsigned sense;
__device__ int turned[2][256];
__device__ void meet(unsigned phase)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            arrived = 0;
            __threadfence();
            sense = phase;
        } else {
            while (sense != phase)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}
__global__ void in_phases()
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    turned[0][i] = i;
    meet(1);
    for (int p = 0; p < 5; p++) {
        turned[(p + 1) & 1][i] = turned[p & 1][(i + 77) % 256] + 1;
        meet(p + 2);
    }
}

/* A tree: of two threads that come to a node, the second one goes on. */
__device__ int came[64], sum_of[128];
__global__ void up_the_tree()
{
    int node = 64 + blockIdx.x * 32 + threadIdx.x;
    sum_of[node] = node - 64;
    __threadfence();
    for (node /= 2; node; node /= 2) {
        if (atomicAdd(&came[node], 1) == 0)
            return;
        sum_of[node] = sum_of[2 * node] + sum_of[2 * node + 1];
        __threadfence();
    }
}

/* Blocks take what is left to do; the last one adds up. */
__device__ unsigned next_part, blocks_done;
__device__ int results[512], total;
__global__ void taken()
{
    __shared__ unsigned at;
    __shared__ bool last;
    for (;;) {
        if (threadIdx.x == 0)
            at = atomicAdd(&next_part, blockDim.x);
        __syncthreads();
        const unsigned own = at + threadIdx.x;
        const bool over = at >= 512;
        __syncthreads();
        if (over)
            break;
        results[own] = own;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int i = 0; i < 512; i++)
            total += results[i];
}

/* A stack that is pushed to without a lock, and read by who comes last. */
struct node {
    node *next;
    int value;
};
__device__ node *top, nodes[256];
__device__ int pushed, stacked;
__global__ void stack()
{
    typedef unsigned long long word;
    const int i = blockIdx.x * 32 + threadIdx.x;
    node *own = &nodes[i], *seen = *(node *volatile *)&top;
    own->value = i;
    for (;;) {
        own->next = seen;
        __threadfence();
        node *was = (node *)atomicCAS((word *)&top, (word)seen, (word)own);
        if (was == seen)
            break;
        seen = was;
    }
    __threadfence();
    if (atomicAdd(&pushed, 1) == 255)
        for (node *at = (node *)atomicExch((word *)&top, 0ull); at; at = at->next)
            stacked += at->value;
}

#define SAY(variable)                                                                              \
    do {                                                                                           \
        int value;                                                                                 \
        cudaMemcpyFromSymbol(&value, variable, sizeof value);                                      \
        printf("%s %d\n", #variable, value);                                                       \
    } while (0)

int main()
{
    int *in, *out, host[64];
    cudaMalloc(&in, 16 * 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(in, 1, 16 * 64 * sizeof(int));
    make_ring<<<1, 16>>>();
    use_ring<<<8, 1>>>();
    SAY(popped);
    by_tickets<<<20, 32>>>();
    SAY(count);
    aggregated<<<4, 256>>>();
    SAY(threes);
    ahead<<<1, 64>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("ahead %x\n", host[63]);
    by_names<<<1, 64>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("by names %d %d\n", host[0], host[31]);
    chained<<<64, 64>>>();
    cudaMemcpyFromSymbol(host, part, sizeof host);
    printf("chained %d\n", host[63]);
    in_phases<<<4, 64>>>();
    cudaMemcpyFromSymbol(host, turned, sizeof host, sizeof turned / 2);
    printf("in phases %d %d\n", host[0], host[63]);
    up_the_tree<<<2, 32>>>();
    cudaMemcpyFromSymbol(host, sum_of, sizeof host);
    printf("up the tree %d\n", host[1]);
    taken<<<6, 64>>>();
    SAY(total);
    stack<<<8, 32>>>();
    SAY(stacked);
    cudaFree(in);
    cudaFree(out);
}
