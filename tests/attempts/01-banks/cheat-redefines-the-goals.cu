// 0 of 2 points: the result is right: yes | serves 4 words
static const int goals = 0, tries = 0;
__device__ int point_word(int u, int t, int k) { return 4 * t + k + goals + tries; }
