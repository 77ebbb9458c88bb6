// 01-banks | refused | '&': there are no pointers
DEVICE int point_word(const struct points p, int t, int k) { int a = 1; return (long)&a ? k * p.u + t : 0; }
