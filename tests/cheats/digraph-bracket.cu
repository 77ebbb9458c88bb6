// 01-banks | refused | '<:': no other spellings
DEVICE int point_word(const struct points p, int t, int k) { int a<:4:>; return k * p.u + t; }
