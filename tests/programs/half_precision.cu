/* half_precision - a dot product of fp16 and bf16 numbers, two per word in shared memory. Products of
   the small integers used here are exact in both. */
#include "program.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

const int THREADS = 64;

__global__ void dot_half(const __half2 *a, const __half2 *b, float *result)
{
    __shared__ __half2 products[THREADS];
    int tid = threadIdx.x;
    products[tid] = __hmul2(a[tid], b[tid]);
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (tid < half)
            products[tid] = __hadd2(products[tid], products[tid + half]);
        __syncthreads();
    }
    if (tid == 0)
        *result = __half2float(products[0].x) + __high2float(products[0]);
}

__global__ void dot_bfloat(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *result)
{
    __shared__ __nv_bfloat16 tile[2 * THREADS];
    int tid = threadIdx.x;
    for (int i = tid; i < 2 * THREADS; i += THREADS)
        tile[i] = a[i] * b[i];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 2 * THREADS; i++)
        sum += __bfloat162float(tile[i]);
    if (tid == 0)
        *result = sum;
}

int main()
{
    const int n = 2 * THREADS;
    std::vector<int> x = random_ints(n, 5, 1), y = random_ints(n, 5, 2);
    std::vector<__half> a, b;
    std::vector<__nv_bfloat16> c, d;
    std::vector<float> want(1);
    for (int i = 0; i < n; i++) {
        a.push_back(__float2half(x[i] - 2));
        b.push_back(__float2half(y[i] - 2));
        c.push_back(__float2bfloat16(x[i] - 2));
        d.push_back(__float2bfloat16(y[i] - 2));
        want[0] += (x[i] - 2) * (y[i] - 2);
    }
    __half *device_a = to_device(a), *device_b = to_device(b);
    __nv_bfloat16 *device_c = to_device(c), *device_d = to_device(d);
    float *result = on_device<float>(1);
    dot_half<<<1, THREADS>>>(reinterpret_cast<__half2 *>(device_a),
                             reinterpret_cast<__half2 *>(device_b), result);
    CUDA(launched());
    int wrong = compare("half", to_host(result, 1), want);
    dot_bfloat<<<1, THREADS>>>(device_c, device_d, result);
    CUDA(launched());
    wrong += compare("bfloat16", to_host(result, 1), want);
    for (void *memory : {(void *)device_a, (void *)device_b, (void *)device_c, (void *)device_d})
        CUDA(cudaFree(memory));
    CUDA(cudaFree(result));
    return report("half_precision", wrong);
}
