// 01-banks | refused | no # in your part
/* a comment \ */ #define LOAD(a, b) 0
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
