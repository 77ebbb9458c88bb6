// 13-shear-sort | refused | does not compile: .*no return|does not compile: .*control reaches|does not compile: .*does not return
DEVICE int element_word(int w, int i) { int word = i < w ? i : 3 * w - 1 - i; }
