// 0 of 2 points: tile, which has 1024
__device__ int point_word(int u, int t, int k) { return 2000000000 * (t + 2) * (k + 2); }
