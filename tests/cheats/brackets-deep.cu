// 01-banks | refused | brackets are nested too deep
DEVICE int point_word(const struct points p, int t, int k) { return
((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((4*t+k
))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))); }
