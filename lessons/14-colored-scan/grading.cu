/* The numbers of the exercise of lesson 14: some inputs have one colour only, others all of them in turn. */
__global__ void prepare(int seed, int *in)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 8 * first; i < 8 * first + 8; i++)
        in[i] = seed % 4 == 2 ? 5 + seed : seed % 4 == 3 ? i : in[i];
}

/* What must come out: how many numbers of each colour the lanes before have. */
__global__ void reference(const int *in, int *out)
{
    int w = warpSize, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int c = 0; c < w; c++)
        out[i * w + c] = 0;
    for (int k = 8 * (i - threadIdx.x % w); k < 8 * i; k++)
        out[i * w + in[k] % w]++;
}
