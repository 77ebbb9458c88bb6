// 01-banks | refused | 'union': is not in the language
union both { long number; int at; };
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
