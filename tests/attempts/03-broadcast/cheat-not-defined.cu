// does not compile: declared, but not defined
__device__ int column(int w, int lane, int j);
