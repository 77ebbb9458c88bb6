// 01-banks | refused | '&': there are no pointers
DEVICE int point_word(const struct points p, int t, int k) { return (&t)[4096]; }
