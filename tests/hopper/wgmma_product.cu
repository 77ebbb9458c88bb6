/* wgmma_product.cu - C = A * B of halves by wgmma: 128 threads make 64 x 128 of C, with tiles of 64 of the depth in shared
 * memory, swizzled in spans of 128 bytes. A is m x k by rows, B is n x k by rows. */
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64, COLUMNS = 128, DEPTH = 64 };

/* Rows of 128 bytes, of which each chunk of 16 has its place exchanged by the row. */
__device__ void load_tile(__half *tile, const __half *from, int rows, int k)
{
    for (int i = threadIdx.x; i < rows * 8; i += blockDim.x) {
        const int row = i / 8, chunk = i % 8;
        *(uint4 *)((char *)tile + row * 128 + (chunk ^ (row & 7)) * 16) =
            *(const uint4 *)(from + (size_t)row * k + chunk * 8);
    }
}

__device__ uint64_t descriptor(const void *at)
{
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(at);
    return (uint64_t)(address >> 4) | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}

__device__ void multiply(float (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, "
                 "%7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, "
                 "%23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, "
                 "%39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, "
                 "%55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                   "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                   "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),
                   "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
                   "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
                   "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),
                   "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),
                   "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                 : "l"(a), "l"(b));
}

__global__ void product(const __half *a, const __half *b, float *c, int n, int k)
{
    __shared__ __align__(1024) __half tile_a[ROWS * DEPTH];
    __shared__ __align__(1024) __half tile_b[COLUMNS * DEPTH];
    float d[64] = {0};
    a += (size_t)blockIdx.y * ROWS * k;
    b += (size_t)blockIdx.x * COLUMNS * k;
    for (int at = 0; at < k; at += DEPTH) {
        load_tile(tile_a, a + at, ROWS, k);
        load_tile(tile_b, b + at, COLUMNS, k);
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int step = 0; step < DEPTH / 16; step++)
            multiply(d, descriptor(tile_a + 16 * step), descriptor(tile_b + 16 * step));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
    for (int i = 0; i < 64; i++)
        c[(size_t)(blockIdx.y * ROWS + row + i / 2 % 2 * 8) * n + blockIdx.x * COLUMNS + i / 4 * 8 +
          lane % 4 * 2 + i % 2] = d[i];
}

int main(int count, char **word)
{
    const int size = count > 1 ? atoi(word[1]) : 256;
    __half *a, *b;
    float *c;
    long wrong = 0;
    cudaMallocManaged(&a, (size_t)size * size * 2);
    cudaMallocManaged(&b, (size_t)size * size * 2);
    cudaMallocManaged(&c, (size_t)size * size * 4);
    for (int i = 0; i < size * size; i++) {
        a[i] = __float2half((float)(i * 7 % 11 - 5));
        b[i] = __float2half((float)(i * 5 % 13 - 6));
    }
    product<<<dim3(size / COLUMNS, size / ROWS), 128>>>(a, b, c, size, size);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (int i = 0; i < size; i += 7)
        for (int j = 0; j < size; j += 3) {
            float sum = 0;
            for (int k = 0; k < size; k++)
                sum += __half2float(a[i * size + k]) * __half2float(b[j * size + k]);
            wrong += sum != c[i * size + j];
        }
    printf("wgmma product of %d: %s\n", size, wrong ? "wrong" : "good");
    return wrong != 0;
}
