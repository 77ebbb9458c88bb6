/* tensor_edge.cu - boxes whose rows are shorter than the span of their swizzle go from shared memory to a matrix that ends
 * within them; threads write what is stored, and with an argument all of it but one row's end. */
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda/barrier>
#include <cuda_runtime.h>
#include <stdio.h>

namespace cde = cuda::device::experimental;
enum { ROWS = 20, COLUMNS = 12, HEIGHT = 16, WIDTH = 8, PITCH = 16 };

__global__ void number(const __grid_constant__ CUtensorMap to, int left_out)
{
    __shared__ alignas(1024) int box[HEIGHT * PITCH];
    const int x = blockIdx.x * WIDTH, y = blockIdx.y * HEIGHT;
    for (int i = threadIdx.x; i < HEIGHT * WIDTH; i += blockDim.x) {
        const int row = i / WIDTH, column = i % WIDTH;
        const int place = row * PITCH + column;
        if (y + row < ROWS && x + column < COLUMNS && !(x && y + row == left_out))
            box[place ^ (place >> 5 & 3) << 2] = (y + row) * COLUMNS + x + column;
    }
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&to, x, y, box);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

int main(int argc, char **)
{
    int *to, wrong = 0;
    void *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaMallocManaged(&to, ROWS * COLUMNS * sizeof *to);
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault,
                                     &found);
    CUtensorMap map;
    const uint64_t size[] = {COLUMNS, ROWS}, stride[] = {COLUMNS * sizeof(int)};
    const uint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (!encode || ((PFN_cuTensorMapEncodeTiled_v12000)encode)(
                       &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, to, size, stride, box, step,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B,
                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return printf("tensor edge: no map\n"), 1;
    number<<<dim3(2, 2), 32>>>(map, argc > 1 ? 19 : -1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return printf("tensor edge: not run\n"), 1;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        wrong += to[i] != i;
    printf("tensor edge: %d wrong\n", wrong);
}
