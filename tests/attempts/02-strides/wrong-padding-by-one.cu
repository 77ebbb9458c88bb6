// 0 of 1 points: the result is right: yes | stage read: no bank conflicts: not yet: w=32 u=64 blocks=1 E=15 seed=1 | bank 0 serves 16 words, for threads | ... | common divisor of the pitch and w
__device__ int pitch(int w, int E)
{
    return E + 1;
}
