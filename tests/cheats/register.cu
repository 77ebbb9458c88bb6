// 01-banks | refused | 'register': is not in the language
DEVICE int point_word(const struct points p, int t, int k) { register int r = 4 * t + k; return r; }
