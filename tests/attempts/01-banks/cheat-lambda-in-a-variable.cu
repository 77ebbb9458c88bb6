// does not compile: 'place' is a variable of the host
auto place = [](int u, int t, int k) { return k * u + t; };
__device__ int point_word(int u, int t, int k)
{
    return place(u, t, k);
}
