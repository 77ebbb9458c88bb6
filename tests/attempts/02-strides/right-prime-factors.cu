// 1 of 1 points
/* Whether no prime number divides both. */
__device__ bool coprime(int a, int b)
{
    const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61};
    for (int p : primes)
        if (a % p == 0 && b % p == 0)
            return false;
    return true;
}
__device__ int pitch(int w, int E)
{
    while (!coprime(w, E))
        ++E;
    return E;
}
