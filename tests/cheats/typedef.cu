// 01-banks | refused | 'typedef': is not in the language
typedef int row[4];
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
