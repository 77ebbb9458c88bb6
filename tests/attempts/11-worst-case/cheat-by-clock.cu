// 0 of 1 points: ways in every access: not yet
__device__ int share(int w, int E, int a, int b)
{
    return (clock() >> 3) % (E + 1);
}
