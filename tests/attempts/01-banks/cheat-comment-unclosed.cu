// does not compile: this comment has no end
__device__ int point_word(int u, int t, int k) { return k * u + t; } /*
