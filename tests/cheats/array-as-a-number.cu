// 01-banks | refused | an array is used with all its indices
DEVICE int point_word(const struct points p, int t, int k) { int a[4] = {0}; long at = (long)a; return at ? k * p.u + t : 0; }
