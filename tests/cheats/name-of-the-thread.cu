// 01-banks | refused | '->': is not in the language
DEVICE int point_word(const struct points p, int t, int k) { simt_->block = 0; return 4 * t + k; }
