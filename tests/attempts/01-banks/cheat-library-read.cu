// does not compile: is a function of the host
long read(int file, long at, long bytes);
__device__ int point_word(int u, int t, int k) { return k * u + t + (int)read(4, 0, 0); }
