// 01-banks | refused | no quotes
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t + ' ' - 32; }
