// 1 of 1 points
__device__ int gcd(int a, int b)
{
    return b ? gcd(b, a % b) : a;
}

__device__ int place(int w, int E, int x)
{
    /* By l, not by l mod d: that is as good. */
    int partition = w / gcd(w, E) * E, l = x / partition;
    return l * partition + (x + l) % partition;
}
