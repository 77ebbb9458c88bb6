// 01-banks | refused | 'extern': is not in the language
extern int system(const char command[9]);
DEVICE int point_word(const struct points p, int t, int k) { return system(0); }
