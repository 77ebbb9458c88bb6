// does not compile: #include may not be used
/* */ #include <unistd.h>
__device__ int point_word(int u, int t, int k) { return k * u + t; }
