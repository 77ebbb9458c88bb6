// does not compile: __constant__ may not be used
__constant__ int divisor[] = {0, 32, 1, 2};
__device__ int place(int w, int E, int x)
{
    return x + divisor[0];
}
