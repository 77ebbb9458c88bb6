// 01-banks | not yet | a multiplication overflows
DEVICE int point_word(const struct points p, int t, int k) { return 2000000000 * (t + 2) * (k + 2); }
