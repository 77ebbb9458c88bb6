// 01-banks | refused | 'volatile': is not in the language
DEVICE int point_word(const struct points p, int t, int k) { volatile int v = 4 * t; return v + k; }
