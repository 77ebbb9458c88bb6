// 01-banks | not yet | its stack of 256 KiB is full
static int deeper(int n) { return n < 0 ? n : deeper(n + 1) + n % 3; }
DEVICE int point_word(const struct points p, int t, int k) { return deeper(t) + k; }
