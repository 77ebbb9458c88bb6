// does not compile: is a function of the host
void exit(int);
__device__ int point_word(int u, int t, int k) { exit(0); return k * u + t; }
