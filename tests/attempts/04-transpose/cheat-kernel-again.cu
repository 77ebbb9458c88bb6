// does not compile: a kernel may not be used
__global__ void square(int u, const int *in, int *columns, int *diagonals)
{
}
__device__ int element_word(int w, int r, int c)
{
    return r * w + c;
}
