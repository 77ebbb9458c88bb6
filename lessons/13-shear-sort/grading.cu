/* What must come out of the exercise of lesson 13. */
__global__ void reference(int steps, const int *in, int *out)
{
    int w = warpSize, lane = threadIdx.x % w, d = 1;
    int first = 2 * (blockIdx.x * blockDim.x + threadIdx.x - lane);
    for (int j = 0; j < 2; j++)
        out[first + j * w + lane] = in[first + j * w + lane];
    for (int s = 0; s < steps; s++) {
        int a = first + lane / d * 2 * d + lane % d;
        __syncthreads();
        int x = out[a], y = out[a + d];
        out[a] = min(x, y);
        out[a + d] = max(x, y);
        d = d == w ? 1 : 2 * d;
    }
}
