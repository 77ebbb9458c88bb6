// 01-banks | not yet|refused | outside|does not compile
DEVICE int keep(int word) { int kept; if (word >= 0) kept = word; return kept; }
DEVICE int point_word(const struct points p, int t, int k) { keep(k * p.u + t); return keep(-1); }
