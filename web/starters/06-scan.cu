// launch: grid 2 1 1; block 256 1 1; out 512 unwritten; in 512 ones
// Sums of all numbers up to each (Hillis and Steele): in step d a thread adds what is d to its left.
__global__ void scan(int *out, const int *in)
{
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = in[i];
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        int left = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += left;
    }
    out[i] = s[t];
}
