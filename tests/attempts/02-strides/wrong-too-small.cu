// 0 of 1 points: the result is right: not yet | race | a pitch is at least E
__device__ int pitch(int w, int E)
{
    return 1;
}
