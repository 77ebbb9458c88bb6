// launch: grid 32 1 1; block 256 1 1; out 8192 unwritten; in 8192 iota
// Puzzle 32 (Modular, GPU Puzzles): ten more, and twice that. Lanes i and i + 16 meet in one bank, 256 times in the stores
// and 256 times in the loads: which word of buffer can a thread use instead?
__global__ void two_way(int *out, const int *in)
{
    __shared__ int buffer[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    int word = t < 128 ? 2 * t : 2 * t - 255;
    buffer[word] = in[i] + 10;
    __syncthreads();
    out[i] = 2 * buffer[word];
}
