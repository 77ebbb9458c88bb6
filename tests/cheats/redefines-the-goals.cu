// 01-banks | not yet | bank 0 serves 4 words
static const int goals = 0, tries = 0;
DEVICE int point_word(const struct points p, int t, int k) { return 4 * t + k + goals + tries; }
