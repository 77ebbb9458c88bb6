// 01-banks | refused | there are no pointers
DEVICE int point_word(const struct points p, int t, int k) { struct points *q = 0; return q[0].w; }
