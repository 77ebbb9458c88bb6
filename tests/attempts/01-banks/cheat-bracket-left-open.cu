// does not compile: this '{' is never closed
__device__ int point_word(int u, int t, int k) { return k * u + t; } {
