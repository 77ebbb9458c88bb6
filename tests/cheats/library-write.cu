// 01-banks | refused | your part calls 'write', which it does not define
long write(int file, long at, long bytes);
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t + (int)write(3, 0, 0); }
