// 0 of 1 points: the result is right: not yet | from 0 to E
__device__ int share(int w, int E, int a, int b)
{
    return a > b ? -1 : E;
}
