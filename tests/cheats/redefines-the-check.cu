// 01-banks | not yet | bank 0 serves 4 words
static int check(int x) { return 1; }
DEVICE int point_word(const struct points p, int t, int k) { return check(t) * (4 * t + k); }
