// 01-banks | refused | no # in your part
#define __syncthreads() (void)0
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
