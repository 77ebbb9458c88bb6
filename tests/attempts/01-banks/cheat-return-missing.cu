// does not compile: ends without a 'return'
__device__ int point_word(int u, int t, int k) { int word = k * u + t; }
