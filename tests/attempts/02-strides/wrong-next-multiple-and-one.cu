// 0 of 1 points: the result is right: not yet | of which the block has
__device__ int pitch(int w, int E)
{
    return w * ((E + w - 1) / w) + 1;
}
