// 10-own-kernel | refused | there are no pointers
__device__ int exchange(int number) { RECORDS * at = number; return number; }
