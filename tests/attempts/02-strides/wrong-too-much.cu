// 0 of 1 points: the result is right: not yet | tile, which has | room for five unused words
__device__ int pitch(int w, int E)
{
    return E + 6;
}
