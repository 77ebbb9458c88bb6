// 01-banks | refused | a type cannot follow a parenthesis
static int set(a) int a[1]; { a[4096] = 1; return 0; }
DEVICE int point_word(const struct points p, int t, int k) { int b[1]; set(b); return k * p.u + t; }
