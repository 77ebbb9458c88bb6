// 01-banks | refused | 'goto': is not in the language
DEVICE int point_word(const struct points p, int t, int k) { again: goto again; }
