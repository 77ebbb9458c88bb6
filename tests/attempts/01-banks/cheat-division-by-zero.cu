// 0 of 2 points: bad-address
__device__ int point_word(int u, int t, int k) { return (4 * t + k) / (k - k); }
