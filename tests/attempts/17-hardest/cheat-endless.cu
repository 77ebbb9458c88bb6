// 0 of 1 points: does not end
__device__ int share(int w, int E, int t, int a, int b)
{
    for (volatile int i = 0; i >= 0;)
        ;
    return E;
}
