// 01-banks | refused | '__attribute__': a name begins with a letter
__attribute__((constructor)) static void first(void) {}
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
