/* count.cu - one set of bins for all threads, in shared memory: weights are added up, or numbers counted. */
#include <cstdio>

const int BINS = 64, THREADS = 32, EACH = 4;

__global__ void weigh(int *out, const int *in, const int *weight)
{
    __shared__ int bins[BINS];
    int t = threadIdx.x;
    for (int b = t; b < BINS; b += THREADS)
        bins[b] = 0;
    __syncthreads();
    for (int k = 0; k < EACH; k++) {
        int i = k * THREADS + t;
        atomicAdd(&bins[in[i]], weight[i]);
    }
    __syncthreads();
    for (int b = t; b < BINS; b += THREADS)
        out[b] = bins[b];
}

__global__ void count(int *out, const int *in)
{
    __shared__ int bins[BINS];
    int t = threadIdx.x;
    for (int b = t; b < BINS; b += THREADS)
        bins[b] = 0;
    __syncthreads();
    for (int k = 0; k < EACH; k++)
        atomicAdd(&bins[in[k * THREADS + t]], 1);
    __syncthreads();
    for (int b = t; b < BINS; b += THREADS)
        out[b] = bins[b];
}

int main()
{
    int *in, *weight, *out, wrong = 0;
    cudaMallocManaged(&in, THREADS * EACH * sizeof *in);
    cudaMallocManaged(&weight, THREADS * EACH * sizeof *weight);
    cudaMallocManaged(&out, BINS * sizeof *out);
    for (int run = 0; run < 3;
         run++) { /* random numbers are weighed, equal ones weighed, equal ones counted */
        int expected[BINS] = {0};
        unsigned random = 1;
        for (int i = 0; i < THREADS * EACH; i++) {
            random = random * 1664525 + 1013904223;
            in[i] = run == 0 ? random >> 26 : 5;
            weight[i] = i;
            expected[in[i]] += run < 2 ? weight[i] : 1;
        }
        if (run < 2)
            weigh<<<1, THREADS>>>(out, in, weight);
        else
            count<<<1, THREADS>>>(out, in);
        cudaDeviceSynchronize();
        for (int b = 0; b < BINS; b++)
            wrong += out[b] != expected[b];
    }
    printf("%d bins are wrong\n", wrong);
    cudaFree(in);
    cudaFree(weight);
    cudaFree(out);
    return wrong != 0;
}
