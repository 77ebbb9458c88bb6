// 10-own-kernel | not yet | 0 accesses in all, where 256 are needed
__device__ int exchange(int number) { return number; }
