// 12-search | refused | does not compile: .*no return|does not compile: .*control reaches|does not compile: .*does not return
DEVICE int key_word(int rounds, int i) { int word = i / 2 + i % 2 * ((1 << rounds) / 2); }
