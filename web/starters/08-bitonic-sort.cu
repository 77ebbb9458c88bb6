// launch: grid 1 1 1; block 128 1 1; keys 256 random
// Sorts 256 keys by a network of 36 steps. Where partners are less than 32 apart, two lanes meet in each
// bank: could threads take other pairs?
__global__ void sort(int *keys)
{
    __shared__ int tile[256];
    int t = threadIdx.x;
    tile[t] = keys[t];
    tile[t + 128] = keys[t + 128];
    for (int size = 2; size <= 256; size *= 2) {
        bool up = (t & (size / 2)) == 0;
        for (int apart = size / 2; apart > 0; apart /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (apart - 1)), a = tile[i], b = tile[i + apart];
            if ((a > b) == up) {
                tile[i] = b;
                tile[i + apart] = a;
            }
        }
    }
    __syncthreads();
    keys[t] = tile[t];
    keys[t + 128] = tile[t + 128];
}
