// 01-banks | refused | the comment does not end
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; } /*
