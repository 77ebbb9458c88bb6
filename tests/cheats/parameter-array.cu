// 01-banks | refused | arrays cannot be handed
static int set(int a[1]) { a[4096] = 1; return 0; }
DEVICE int point_word(const struct points p, int t, int k) { int b[1]; set(b); return k * p.u + t; }
