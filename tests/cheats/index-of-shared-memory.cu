// 01-banks | not yet | tile\[[0-9]+\] is outside its
DEVICE int point_word(const struct points p, int t, int k) { return 4 * t + k + 1000000; }
