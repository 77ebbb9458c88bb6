// does not compile: 'environ' is not known here
__device__ int point_word(int u, int t, int k) { return environ ? k * u + t : 0; }
