// does not compile: line 5
__device__ int point_word(int u, int t, int k)
{
    retrun k * u + t;
}
