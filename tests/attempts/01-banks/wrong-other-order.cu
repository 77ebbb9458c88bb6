// 0 of 2 points: the result is right: yes | stage write: no bank conflicts: not yet: w=32 u=64 blocks=1 seed=1: block 0, warp 0, access 1: bank 0 serves 4 words | Which words do neighbouring lanes use
__device__ int point_word(int u, int t, int k)
{
    return 4 * t + (k + t) % 4;
}
