// 01-banks | refused | your part calls 'read', which it does not define
long read(int file, long at, long bytes);
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t + (int)read(4, 0, 0); }
