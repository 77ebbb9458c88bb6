// 01-banks | refused | '&&': an operand is missing
DEVICE int point_word(const struct points p, int t, int k) { here: return (long)&&here ? k * p.u + t : 0; }
