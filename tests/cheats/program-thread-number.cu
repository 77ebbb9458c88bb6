// 10-own-kernel | refused | assignment|read-only|error
__device__ int exchange(int number) { threadIdx.x = 0; return number; }
