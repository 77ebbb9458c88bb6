// 01-banks | refused | '}': closes nothing
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; } }
