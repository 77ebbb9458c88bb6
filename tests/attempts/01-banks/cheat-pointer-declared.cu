// 0 of 2 points: through a null pointer
__device__ int point_word(int u, int t, int k) { int *q = 0; q[0] = 1; return 4 * t + k; }
