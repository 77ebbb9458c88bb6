// 0 of 1 points: the result is right: yes | stage read: no bank conflicts: not yet: w=9 u=9 blocks=1 E=6 seed=1: block 0, warp 0, access 1: bank 0 serves 3 words, for threads 0 (word 0), 3 (word 18), 6 (word 36) | pattern of banks begin again
__device__ int place(int w, int E, int x)
{
    return x;
}
