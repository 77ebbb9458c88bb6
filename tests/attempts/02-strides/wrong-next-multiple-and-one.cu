// 0 of 1 points: the result is right: not yet | tile, which has
__device__ int pitch(int w, int E)
{
    return w * ((E + w - 1) / w) + 1;
}
