// 0 of 1 points: at least E + 1 ways in every access: not yet | serves
__device__ int share(int w, int E, int t, int a, int b) { return E / 2; }
