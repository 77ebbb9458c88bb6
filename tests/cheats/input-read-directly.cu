// 01-banks | refused | does not compile
DEVICE int point_word(const struct points p, int t, int k) { return in[4 * t + k]; }
