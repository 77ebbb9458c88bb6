// 01-banks | refused | '%:': no other spellings
%:define STORE(a, b, c)
DEVICE int point_word(const struct points p, int t, int k) { return k * p.u + t; }
