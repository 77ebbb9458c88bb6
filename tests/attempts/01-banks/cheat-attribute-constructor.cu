// does not compile: attribute 'constructor' is not supported
__attribute__((constructor)) static void first(void) {}
__device__ int point_word(int u, int t, int k) { return k * u + t; }
