// 01-banks | refused | '\*': there are no pointers
DEVICE int point_word(const struct points p, int t, int k) { return ((int *)4096)[t]; }
