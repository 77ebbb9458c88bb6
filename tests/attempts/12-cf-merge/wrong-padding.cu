// 0 of 1 points: the result is right: not yet | tile, which has | No word is to spare
__device__ int place(int w, int E, int x)
{
    return x + x / w;
}
