// does not compile: 'scratch'
__device__ int scratch[4096];
__device__ void scan_color(int *sums, int w, int c)
{
    int before = 0;
    for (int t = 0; t < w; t++) {
        scratch[c * w + t] = before;
        before += sums[c * w + t];
    }
}
