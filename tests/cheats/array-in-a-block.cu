// 01-banks | refused | a value is not a block
DEVICE int point_word(const struct points p, int t, int k) { return ({ int a[4]; k * p.u + t; }); }
