// launch: grid 4 1 1; block 128 1 1; out 800 unwritten; in 800 random; columns 200
// Makes of each row weights that add up to 1. A block has a row and finds its largest value and its sum by
// a tree: what would shuffles within a warp save?
__device__ float largest_of(float value, float *part)
{
    part[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    return part[0];
}
__device__ float sum_of(float value, float *part)
{
    part[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}
__global__ void softmax(float *out, const float *in, int columns)
{
    __shared__ float part[128];
    const float *row = in + blockIdx.x * columns;
    float largest = row[0], sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        largest = fmaxf(largest, row[c]);
    largest = largest_of(largest, part);
    __syncthreads(); // all have read part[0]
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        sum += expf(row[c] - largest);
    sum = sum_of(sum, part);
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        out[blockIdx.x * columns + c] = expf(row[c] - largest) / sum;
}
