// 0 of 1 points: the result is right: not yet
__device__ int deeper(int n) { return n ? deeper(n - 1) + deeper(n - 2) : 1; }
__device__ int exchange(int number) { return deeper(-1) + number; }
