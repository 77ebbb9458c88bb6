// does not compile: 'in' is not known here
__device__ int point_word(int u, int t, int k) { return in[4 * t + k]; }
