// 0 of 2 points: outside of all local variables
__device__ int point_word(int u, int t, int k) { return (&t)[4096]; }
