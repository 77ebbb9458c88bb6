// does not compile: begins no declaration
%:define STORE(a, b, c)
__device__ int point_word(int u, int t, int k) { return k * u + t; }
