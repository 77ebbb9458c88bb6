// 14-bcf-sort | refused | does not compile
DEVICE int look(SHARED_PTR(int) sums) { long simt_ = 4096; return LOAD(sums, 0); }
DEVICE void scan_color(CONTEXT, SHARED_PTR(int) sums, int w, int c) { look(sums); }
