// 01-banks | refused | does not compile
DEVICE int point_word(const struct points p, int t, int k) { out[t] = 1; return k * p.u + t; }
