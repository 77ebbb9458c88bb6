// 0 of 1 points: the result is right: not yet: w=9 u=9 blocks=1 E=6 seed=1
__device__ int gcd(int a, int b)
{
    return b ? gcd(b, a % b) : a;
}

__device__ int place(int w, int E, int x)
{
    int d = gcd(w, E), partition = w * E / d, l = x / partition;
    return l * partition + x % partition + l % d;
}
