// 01-banks | refused | your part calls 'exit', which it does not define
void exit(int);
DEVICE int point_word(const struct points p, int t, int k) { exit(0); return k * p.u + t; }
