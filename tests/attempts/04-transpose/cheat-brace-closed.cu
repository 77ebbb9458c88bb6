// does not compile: line 7, column 1: this '}' closes nothing
__device__ int element_word(int w, int r, int c)
{
    return r * w + c;
}
}
__global__ void square(int u, const int *in, int *columns, int *diagonals)
{
