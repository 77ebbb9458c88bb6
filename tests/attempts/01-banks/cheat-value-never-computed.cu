// 0 of 2 points: the result is right: not yet
__device__ int keep(int word) { int kept; if (word >= 0) kept = word; return kept; }
__device__ int point_word(int u, int t, int k) { keep(k * u + t); return keep(-1); }
