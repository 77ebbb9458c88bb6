// 10-own-kernel | refused | cannot be handed to functions
__device__ int at(int (a)[1], int i) { return a[i]; }
__device__ int exchange(int number) { int b[1] = {0}; return at(b, 900); }
