// 01-banks | refused | no # in your part
/* */ #include <unistd.h>
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
