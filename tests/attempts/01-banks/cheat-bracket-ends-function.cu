// does not compile: this '}' closes nothing
__device__ int point_word(int u, int t, int k) { return k * u + t; } }
