// 01-banks | refused | cannot be handed to functions
DEVICE long call(long f(long, long), long a) { return f(a, a); }
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
