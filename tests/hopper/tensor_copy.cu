/* tensor_copy.cu - boxes of a matrix to shared memory and back by tensor maps, with a barrier of the block; outside of the
 * matrix are zeros. */
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda/barrier>
#include <cuda_runtime.h>
#include <stdio.h>
#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
enum { ROWS = 40, COLUMNS = 52, BOX = 16 };

__global__ void twice(const __grid_constant__ CUtensorMap from,
                      const __grid_constant__ CUtensorMap to, int *sum)
{
    __shared__ alignas(128) int box[BOX][BOX];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    const int x = blockIdx.x * BOX, y = blockIdx.y * BOX;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(box, &from, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof box);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < BOX * BOX; i += blockDim.x) {
        atomicAdd(sum, box[i / BOX][i % BOX]);
        box[i / BOX][i % BOX] *= 2;
    }
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&to, x, y, box);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

static CUtensorMap map_of(PFN_cuTensorMapEncodeTiled_v12000 encode, int *matrix)
{
    CUtensorMap map;
    const cuuint64_t size[] = {COLUMNS, ROWS}, stride[] = {COLUMNS * sizeof(int)};
    const cuuint32_t box[] = {BOX, BOX}, step[] = {1, 1};
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, size, stride, box, step,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        printf("no map\n");
    return map;
}

int main()
{
    int *from, *to, *sum, expected = 0, wrong = 0;
    void *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                         cudaEnableDefault, &found) != cudaSuccess ||
        found != cudaDriverEntryPointSuccess)
        return printf("tensor copy: no function\n"), 1;
    cudaMallocManaged(&from, ROWS * COLUMNS * sizeof *from);
    cudaMallocManaged(&to, ROWS * COLUMNS * sizeof *to);
    cudaMallocManaged(&sum, sizeof *sum);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        expected += from[i] = i % 100;
    *sum = 0;
    const PFN_cuTensorMapEncodeTiled_v12000 function = (PFN_cuTensorMapEncodeTiled_v12000)encode;
    twice<<<dim3((COLUMNS + BOX - 1) / BOX, (ROWS + BOX - 1) / BOX), 64>>>(
        map_of(function, from), map_of(function, to), sum);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return printf("tensor copy: not run\n"), 1;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        wrong += to[i] != 2 * from[i];
    wrong += *sum != expected;
    printf("tensor copy: %s\n", wrong ? "wrong" : "good");
    return wrong != 0;
}
