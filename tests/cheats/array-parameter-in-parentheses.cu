// 01-banks | refused | cannot be handed to functions
DEVICE int at(int (a)[1], int i) { return a[i]; }
DEVICE int point_word(const struct points p, int t, int k) { int b[1] = {0}; return at(b, 900) ? k * p.u + t : k * p.u + t; }
