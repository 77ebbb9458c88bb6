/* copy.cu - reads numbers of an array: side by side, one number further, every s-th, one for all. */
#include <cstdio>

__global__ void copy(float *out, const float *in, int step, int first)
{
    int i = threadIdx.x;
    out[i] = in[first + i * step];
}

int main()
{
    const int steps[] = {1, 1, 2, 8, 32, 0}, firsts[] = {0, 1, 0, 0, 0, 0};
    float *in, *out;
    int wrong = 0;
    cudaMallocManaged(&in, 1024 * sizeof *in);
    cudaMallocManaged(&out, 32 * sizeof *out);
    for (int i = 0; i < 1024; i++)
        in[i] = i;
    for (int k = 0; k < 6; k++) {
        copy<<<1, 32>>>(out, in, steps[k], firsts[k]);
        cudaDeviceSynchronize();
        for (int i = 0; i < 32; i++)
            wrong += out[i] != firsts[k] + i * steps[k];
    }
    printf("%d numbers are wrong\n", wrong);
    cudaFree(in);
    cudaFree(out);
}
