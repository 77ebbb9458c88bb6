// 10-own-kernel | refused | '&': there are no pointers
__device__ int exchange(int number) { int &other = number; return other; }
