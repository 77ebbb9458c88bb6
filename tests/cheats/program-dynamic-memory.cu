// 10-own-kernel | refused | 'extern': is not in the language
__device__ int exchange(int number) { extern __shared__ int all[]; return all[0] + number; }
