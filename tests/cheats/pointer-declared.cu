// 01-banks | refused | '\*': there are no pointers
DEVICE int point_word(const struct points p, int t, int k) { int *q = 0; q[0] = 1; return 4 * t + k; }
