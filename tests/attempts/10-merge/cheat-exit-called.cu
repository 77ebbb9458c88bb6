// does not compile: 'exit' is not known here
__device__ int place(int n, int evens, bool odd, int i)
{
    exit(0);
    return 0;
}
