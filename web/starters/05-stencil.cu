// launch: grid 4 1 1; block 128 1 1; out 512 unwritten; in 512 iota; n 512
// Each number becomes the mean of those up to 3 places away.
#define RADIUS 3
__global__ void stencil(float *out, const float *in, int n)
{
    __shared__ float s[128 + 2 * RADIUS];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t + RADIUS] = in[i];
    if (t < RADIUS) {
        s[t] = i >= RADIUS ? in[i - RADIUS] : 0;
        s[t + 128 + RADIUS] = i + 128 < n ? in[i + 128] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += s[t + k];
    out[i] = sum / (2 * RADIUS + 1);
}
