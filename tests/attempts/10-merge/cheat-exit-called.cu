// does not compile: 'exit' is a function of the host
__device__ int place(int n, int evens, bool odd, int i)
{
    exit(0);
    return 0;
}
