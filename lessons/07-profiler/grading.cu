/* The choices of the exercise of lesson 07: in some inputs all go left, in others all go right. */
__global__ void prepare(int seed, int *choices)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    choices[i] = seed % 4 == 2 ? choices[i] & ~1 : seed % 4 == 3 ? choices[i] | 1 : choices[i];
}

/* What must come out: the numbers of neighbours. */
__global__ void reference(const int *numbers, const int *choices, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
    out[i] = numbers[i - lane + (choices[i] % 2 == 0 ? lane + 31 : lane + 1) % 32];
}
