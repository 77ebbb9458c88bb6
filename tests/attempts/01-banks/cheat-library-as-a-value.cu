// 0 of 2 points: this name is not known
long write(int file, long at, long bytes);
__device__ int point_word(int u, int t, int k) { return k * u + t + ((long)write == 1); }
