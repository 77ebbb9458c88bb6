// 0 of 2 points: race
__device__ int point_word(int u, int t, int k) { return 0; }
