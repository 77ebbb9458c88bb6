// 0 of 2 points: bad-address: line 3: a load
__device__ int point_word(int u, int t, int k) { return ((int *)4096)[t]; }
