// does not compile: local memory
__device__ int point_word(int u, int t, int k)
{
    int much[100000000];
    for (int i = 0; i < 100000000; i += 1000)
        much[i] = i;
    return much[t];
}
