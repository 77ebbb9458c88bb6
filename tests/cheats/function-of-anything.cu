// 01-banks | refused | does not compile
DEVICE int word();
DEVICE int point_word(const struct points p, int t, int k) { return word(1.5, p, t); }
DEVICE int word(int k) { return k; }
