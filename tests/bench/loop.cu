__global__ void k(float *out)
{
    float x = threadIdx.x, y = 1;
    for (int i = 0; i < 4000; i++) {
        x = x * 0.5f + y;
        y = y * 1.001f + x;
        if (x > 1e30f)
            y = 0;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y;
}
