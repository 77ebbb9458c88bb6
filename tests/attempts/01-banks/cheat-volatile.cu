// 0 of 2 points: the result is right: yes | serves 4 words
__device__ int point_word(int u, int t, int k) { volatile int v = 4 * t; return v + k; }
