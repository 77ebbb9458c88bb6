/* What the threads of the exercise of lesson 16 take of A: in some inputs nothing, in others everything. */
__global__ void prepare(int seed, int *shares)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, w = warpSize;
    shares[i] = seed % 4 == 2 ? 0 : seed % 4 == 3 ? w : shares[i] % (w + 1);
}

/* What must come out: each thread's numbers of A, then those of B. */
__global__ void reference(const int *shares, const int *numbers, int *out)
{
    int w = warpSize, t = threadIdx.x, u = blockDim.x, a = 0, na = 0;
    shares += blockIdx.x * u;
    numbers += blockIdx.x * u * w;
    out += (blockIdx.x * u + t) * w;
    for (int i = 0; i < u; i++) {
        a += i < t ? shares[i] : 0;
        na += shares[i];
    }
    for (int i = 0; i < w; i++)
        out[i] = numbers[i < shares[t] ? a + i : na + t * w - a + i - shares[t]];
}
