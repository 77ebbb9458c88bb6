// 0 of 1 points: the result is right: yes | and no bank serves more
__device__ int share(int w, int E, int a, int b)
{
    return a ? 0 : E;
}
