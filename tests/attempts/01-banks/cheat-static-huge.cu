// does not compile: needs 4000000000 bytes
static const int table[1000000000] = {1};
__device__ int point_word(int u, int t, int k) { return table[t] + k * u; }
