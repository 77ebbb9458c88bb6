// 10-own-kernel | refused | '__shfl_xor_sync': a name begins with a letter
__device__ int exchange(int number) { return __shfl_xor_sync(0xffffffffu, number, 1); }
