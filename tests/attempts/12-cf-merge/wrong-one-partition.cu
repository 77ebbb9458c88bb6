// 0 of 1 points: the result is right: yes | stage read: no bank conflicts: not yet
__device__ int gcd(int a, int b)
{
    return b ? gcd(b, a % b) : a;
}

__device__ int place(int w, int E, int x)
{
    int d = gcd(w, E), partition = w * E, l = x / partition;
    return l * partition + (x % partition + l % d) % partition;
}
