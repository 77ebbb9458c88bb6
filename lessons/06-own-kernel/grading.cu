/* What must come out of the exercise of lesson 06: field by field. */
__global__ void reference(const int *in, int *out)
{
    int t = threadIdx.x, first = blockIdx.x * 256;
    out[first + t] = in[first + t % 32 * 8 + t / 32];
}
