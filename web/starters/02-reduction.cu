// launch: grid 4 1 1; block 256 1 1; sum 4 unwritten; in 1024 ones
// Adds up 256 numbers for each block. The threads that add are 2 d apart, and so are their words.
__global__ void reduce(int *sum, const int *in)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int i = 2 * d * t;
        if (i < 256)
            s[i] += s[i + d];
        __syncthreads();
    }
    if (t == 0)
        sum[blockIdx.x] = s[0];
}
