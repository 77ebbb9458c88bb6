// 01-banks | refused | '_Pragma': a name begins with a letter
_Pragma(once)
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
