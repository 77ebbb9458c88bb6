// 1 of 1 points
__device__ int gcd(int a, int b)
{
    return b ? gcd(b, a % b) : a;
}

__device__ int place(int w, int E, int x)
{
    int d = gcd(w, E), partition = w * E / d, l = x / partition;
    return l * partition + (x % partition + partition - l % d) % partition;
}
