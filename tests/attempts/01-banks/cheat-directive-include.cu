// does not compile: #include may not be used
__device__ int point_word(int u, int t, int k) { return
#include "/etc/passwd"
; }
