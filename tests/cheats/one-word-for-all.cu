// 01-banks | not yet | race
DEVICE int point_word(const struct points p, int t, int k) { return 0; }
