// 10-own-kernel | refused | exit.* was not declared
__device__ int exchange(int number) { exit(0); return number; }
