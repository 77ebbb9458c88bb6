// 0 of 2 points: does not end within
__device__ int point_word(int u, int t, int k) { again: goto again; }
