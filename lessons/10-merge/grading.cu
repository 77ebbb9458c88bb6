/* The numbers of the exercise of lesson 10: in some inputs all are even, in others all are odd. Then how many
 * even ones come before each, and before the end. */
__global__ void prepare(int u, int E, int seed, int *numbers, int *before)
{
    int n = u * E, evens = 0;
    numbers += blockIdx.x * n;
    before += blockIdx.x * (n + 1);
    for (int k = threadIdx.x; k < n; k += u)
        numbers[k] = seed % 4 == 2 ? numbers[k] & ~1 : seed % 4 == 3 ? numbers[k] | 1 : numbers[k];
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int k = 0; k < n; k++) {
        before[k] = evens;
        evens += numbers[k] % 2 == 0;
    }
    before[n] = evens;
}

/* What must come out: the even numbers, then the odd ones. */
__global__ void reference(int u, int E, const int *numbers, const int *before, int *out)
{
    int n = u * E;
    numbers += blockIdx.x * n;
    before += blockIdx.x * (n + 1);
    for (int k = threadIdx.x; k < n; k += u)
        out[blockIdx.x * n + (numbers[k] % 2 == 0 ? before[k] : before[n] + k - before[k])] =
            numbers[k];
}
