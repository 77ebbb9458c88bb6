// 10-own-kernel | refused | cannot be handed to functions
__device__ long call(long f(long, long), long a) { return f(a, a); }
__device__ int exchange(int number) { call(0x402010, 0); return number; }
