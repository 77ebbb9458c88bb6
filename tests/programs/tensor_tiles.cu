/*
 * tensor_tiles - C = A B of halves by tensor cores, in PTX: cp.async, ldmatrix, mma and stmatrix.
 *
 * A row of a tile has 128 bytes, which is all banks: ldmatrix reads eight rows' 16 bytes at a time, and
 * without more thought all eight from the same four banks. The swizzled tile has each row's pieces of 16
 * bytes in another order, and no conflicts.
 */
#include "program.h"

#include <cuda_fp16.h>

enum { N = 64, PIECE = 8, THREADS = 128 };

/* Where an element lies in the tile. */
template <int SWIZZLED> __device__ int place(int row, int column)
{
    int piece = column / PIECE ^ (SWIZZLED ? row % 8 : 0);
    return row * N + piece * PIECE + column % PIECE;
}

__device__ unsigned address(const void *at)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

#define COPY(to, from)                                                                             \
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(address(to)),        \
                 "l"(from), "n"(16))

template <int SWIZZLED> __global__ void product(const __half *a, const __half *b, __half *c)
{
    __shared__ __align__(128) __half a_tile[N * N];
    __shared__ __align__(128) __half b_tile[N * N];
    int rows = threadIdx.x / 32 * 16, lane = threadIdx.x % 32;

    for (int i = threadIdx.x; i < N * N / PIECE; i += THREADS) {
        int row = i / (N / PIECE), column = i % (N / PIECE) * PIECE;
        COPY(&a_tile[place<SWIZZLED>(row, column)], a + row * N + column);
        COPY(&b_tile[place<SWIZZLED>(row, column)], b + row * N + column);
    }
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0) : "memory");
    __syncthreads();

    float sum[N / 8][4] = {};
    for (int k = 0; k < N; k += 16) {
        unsigned left[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(left[0]), "=r"(left[1]), "=r"(left[2]), "=r"(left[3])
                     : "r"(address(&a_tile[place<SWIZZLED>(rows + lane % 16, k + lane / 16 * 8)])));
        for (int j = 0; j < N / 8; j++) {
            unsigned right[2];
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                         : "=r"(right[0]), "=r"(right[1])
                         : "r"(address(&b_tile[place<SWIZZLED>(k + lane % 16, j * 8)])));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"
                         "    {%0, %1, %2, %3},\n"
                         "    {%4, %5, %6, %7},\n"
                         "    {%8, %9},\n"
                         "    {%0, %1, %2, %3};"
                         : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                         : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]),
                           "r"(right[1]));
        }
    }
    __syncthreads();

    for (int j = 0; j < N / 8; j++) {
        __half2 upper = __floats2half2_rn(sum[j][0], sum[j][1]);
        __half2 lower = __floats2half2_rn(sum[j][2], sum[j][3]);
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(
                         address(&a_tile[place<SWIZZLED>(rows + lane % 16, j * 8)])),
                     "r"(*reinterpret_cast<unsigned *>(&upper)),
                     "r"(*reinterpret_cast<unsigned *>(&lower))
                     : "memory");
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N * N / PIECE; i += THREADS) {
        int row = i / (N / PIECE), column = i % (N / PIECE) * PIECE;
        *reinterpret_cast<uint4 *>(&c[row * N + column]) =
            *reinterpret_cast<const uint4 *>(&a_tile[place<SWIZZLED>(row, column)]);
    }
}

int main()
{
    std::vector<int> a = random_ints(N * N, 4, 1), b = random_ints(N * N, 4, 2);
    std::vector<float> want(N * N), got(N * N);
    std::vector<__half> half_a(N * N), half_b(N * N);
    for (int i = 0; i < N * N; i++) {
        half_a[i] = __float2half(static_cast<float>(a[i]));
        half_b[i] = __float2half(static_cast<float>(b[i]));
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                want[i * N + j] += static_cast<float>(a[i * N + k] * b[k * N + j]);

    __half *device_a = to_device(half_a), *device_b = to_device(half_b);
    __half *device_c = on_device<__half>(N * N);
    int wrong = 0;
    for (int swizzled = 0; swizzled < 2; swizzled++) {
        CUDA(cudaMemset(device_c, 0, N * N * sizeof(__half)));
        if (swizzled)
            product<1><<<1, THREADS>>>(device_a, device_b, device_c);
        else
            product<0><<<1, THREADS>>>(device_a, device_b, device_c);
        CUDA(launched());
        std::vector<__half> result = to_host(device_c, N * N);
        for (int i = 0; i < N * N; i++)
            got[i] = __half2float(result[i]);
        wrong += compare(swizzled ? "swizzled" : "plain", got, want);
    }
    CUDA(cudaFree(device_a));
    CUDA(cudaFree(device_b));
    CUDA(cudaFree(device_c));
    return report("tensor_tiles", wrong);
}
