// 0 of 1 points: stage write: no bank conflicts: not yet | move whole stretches
__device__ int place(int w, int E, int x)
{
    return x % E * w + x / E % w + x / (w * E) * w * E;
}
