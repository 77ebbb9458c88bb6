// 01-banks | refused | arrays cannot be handed
DEVICE int at(REGISTERS(int, a, 1), int i) { return a[i]; }
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
