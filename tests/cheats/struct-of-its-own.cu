// 01-banks | refused | only the exercise's own structs
struct wide { int a[1]; };
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
