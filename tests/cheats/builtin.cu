// 01-banks | refused | '__builtin_trap': a name begins with a letter
DEVICE int point_word(const struct points p, int t, int k) { __builtin_trap(); }
