// 0 of 1 points: bad-address | A share is a number from 0 to E
/* The same word of A for all: every access has one word, whatever list it is of. */
__device__ int share(int w, int E, int t, int a, int b) { return t % 2 ? 2 * E : -E; }
