// does not compile: const
__device__ int exchange(int number) { threadIdx.x = 0; return number; }
