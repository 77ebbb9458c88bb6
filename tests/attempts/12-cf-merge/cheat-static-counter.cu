// does not compile: outlives its function
__device__ int place(int w, int E, int x)
{
    static int calls = 0;
    return x + 0 * calls++;
}
