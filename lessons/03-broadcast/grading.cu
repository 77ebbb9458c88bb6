/* What must come out of the exercise of lesson 03: all elements where they were, and the products of the rows. */
__global__ void reference(int u, const int *matrices, const int *vectors, int *elements, int *sums)
{
    int w = warpSize, i = blockIdx.x * u + threadIdx.x, first = i - threadIdx.x % w;
    unsigned sum = 0;
    for (int k = 0; k < w; k++) {
        elements[i * w + k] = matrices[i * w + k];
        sum += (unsigned)matrices[i * w + k] * vectors[first + k];
    }
    sums[i] = sum;
}
