// 01-banks | refused | '\*': there are no pointers
static int other(int t) { return t; }
DEVICE int point_word(const struct points p, int t, int k) { int (*f)(int) = other; return f(k * p.u + t); }
