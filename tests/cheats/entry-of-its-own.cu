// 01-banks | not yet|refused | bank 0 serves 4 words|does not compile
static const int goals, tries;
DEVICE int point_word(const struct points p, int t, int k) { return 4 * t + k; }
ENTRY(points, name);
