// 0 of 1 points: bad-address | A share is a number from 0 to E
__device__ int share(int w, int E, int t, int a, int b) { return -1; }
