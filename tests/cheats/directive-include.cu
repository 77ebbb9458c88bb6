// 01-banks | refused | no # in your part
DEVICE int point_word(const struct points p, int t, int k) { return
#include "/etc/passwd"
; }
