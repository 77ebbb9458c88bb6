// 01-banks | refused | declare functions outside
DEVICE int point_word(const struct points p, int t, int k) { long write(int file, long at, long bytes); return k * p.u + t + (int)write(3, 0, 0); }
