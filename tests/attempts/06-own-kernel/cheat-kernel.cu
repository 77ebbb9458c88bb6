// does not compile: kernel
__global__ void fields(int number) { }
__device__ int exchange(int number) { return number; }
