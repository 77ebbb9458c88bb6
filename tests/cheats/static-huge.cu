// 01-banks | refused | does not compile
static const int table[1000000000] = {1};
DEVICE int point_word(const struct points p, int t, int k) { return table[t] + k * p.u; }
