// 01-banks | refused | only letters without accents
DEVICE int point_word(const struct points p, int t, int k) { int größe = p.u; return k * größe + t; }
