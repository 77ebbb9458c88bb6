// does not compile
constexpr int spin(int n)
{
    while (n)
        n++;
    return n;
}
__device__ int place(int w, int E, int x)
{
    constexpr int none = spin(1);
    return x + none;
}
