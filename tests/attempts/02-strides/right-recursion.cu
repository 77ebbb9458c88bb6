// 1 of 1 points
__device__ int gcd(int a, int b)
{
    return b ? gcd(b, a % b) : a;
}
__device__ int pitch(int w, int E)
{
    int s = E;
    while (gcd(w, s) > 1)
        s++;
    return s;
}
