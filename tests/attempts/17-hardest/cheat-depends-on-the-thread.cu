// 0 of 1 points: the result is right: not yet
/* Each thread sees other shares of the threads before it: sums are right of none of them. */
__device__ int share(int w, int E, int t, int a, int b) { return threadIdx.x % 2 ? E : 0; }
