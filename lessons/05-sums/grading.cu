/* The numbers of the exercise of lesson 05: in some inputs all lanes count one number only, in others each has its
 * own. */
__global__ void prepare(int u, int seed, int *in)
{
    for (int k = 0; k < 16; k++) {
        int i = (blockIdx.x * 16 + k) * u + threadIdx.x;
        in[i] = seed % 4 == 2 ? 7 * seed : seed % 4 == 3 ? i : in[i];
    }
}

/* What must come out: how often each thread has each number, modulo `bins`. */
__global__ void reference(int u, int bins, const int *in, int *out)
{
    int *mine = out + (blockIdx.x * u + threadIdx.x) * bins;
    for (int b = 0; b < bins; b++)
        mine[b] = 0;
    for (int k = 0; k < 16; k++)
        mine[in[(blockIdx.x * 16 + k) * u + threadIdx.x] % bins]++;
}
