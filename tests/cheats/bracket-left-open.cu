// 01-banks | refused | a '{' of your part is not closed
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; } {
