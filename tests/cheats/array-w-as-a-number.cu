// 01-banks | refused | an array is used with all its indices
DEVICE int point_word(const struct points p, int t, int k) { int w[4] = {0}; long at = (long)w; return at ? k * p.u + t : 0; }
