// 10-own-kernel | refused | exit
__device__ int exchange(int number) { exit(0); return number; }
