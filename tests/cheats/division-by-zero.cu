// 01-banks | not yet | a division by zero
DEVICE int point_word(const struct points p, int t, int k) { return (4 * t + k) / (k - k); }
