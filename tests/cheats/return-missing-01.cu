// 01-banks | refused | does not compile: .*no return|does not compile: .*control reaches|does not compile: .*does not return
DEVICE int point_word(const struct points p, int t, int k) { int word = k * p.u + t; }
